"""What one session remembers: its transcript, its meter, the files it has read, and how its compactions went."""

from agent.compact.circuit_breaker import CircuitBreaker
from agent.context.frame import Frame
from agent.context.meter import Meter
from agent.protocol.messages import Message
from agent.protocol.meter import Reading
from agent.tools.read_state import FileReadState
from agent.transcript.entries import MessageEntry
from agent.transcript.transcript import Transcript
from agent.transcript.view import model_view


class Conversation:
    """Replaced as a whole by /clear and /resume; everything in it belongs to one transcript."""

    def __init__(self, transcript: Transcript, meter: Meter, read_state: FileReadState) -> None:
        self.transcript = transcript
        self.meter = meter
        self.read_state = read_state
        self.breaker = CircuitBreaker()

    def view(self) -> tuple[MessageEntry, ...]:
        """What the model sees, as recorded."""
        return model_view(self.transcript.entries(), self.transcript.leaf)

    def messages(self) -> tuple[Message, ...]:
        """What the model sees."""
        return tuple(entry.message for entry in self.view())

    def reading(self, frame: Frame) -> Reading:
        """How full the context is now."""
        return self.meter.read(self.messages(), frame.overhead)
