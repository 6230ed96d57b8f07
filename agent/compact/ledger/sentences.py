"""Sentences in English and Chinese, and which of them bind: rules, corrections, decisions."""

import re
from collections.abc import Iterator

LONGEST = 400  # characters; what is longer is a paste and no sentence
_FENCE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_END = re.compile(r"(?<=[.!?;])\s+|(?<=[。！？；])|\n+")
_BULLET = re.compile(r"^\s*(?:[-*+•>#]+|\d+[.)、])\s*")

_RULE = re.compile(
    r"\b(?:must(?:n't)?|never|always|do not|don'?t|only|should(?:n't)?|shall|avoid|without|make sure|ensure|keep|require[sd]?|"
    r"forbid(?:den)?|prohibit(?:ed)?|not allowed|may not|cannot|can't|from now on|remember|prefer|stick to|at (?:most|least)|"
    r"no (?:more|new|other|need)|off[- ]limits|stay away|refrain|under no circumstances|(?:need|have|has)(?: to|n't)|needs to|"
    r"mandatory|banned|frozen|read[- ]only|at all times|please|stop|leave|use)\b"
    r"|必须|不要|不得|禁止|务必|一定|只能|只用|只许|不许|不能|不准|不可|不允许|切勿|请勿|勿|始终|永远|从现在起|记住|别|严禁|总是|一律|"
    r"保持|避免|至少|最多|统一|请|要求|应该|应当|需要|不再",
    re.IGNORECASE,
)
_CORRECTION = re.compile(
    r"^(?:no|nope|wait|hold on|actually|sorry|scratch that|correction|oops|hmm)\b"
    r"|\b(?:actually|instead|rather than|i meant|i mean|wrong|that'?s not|isn'?t right|changed my mind|forget (?:what|that|about)|"
    r"ignore (?:what|that|my)|on second thou?ght|make (?:that|it) (?:an? )?[\d`]|no longer|change (?:it|that|this) (?:to|back)|switch(?:ed)? to|"
    r"not \S+(?: \S+){0,4},? but|my mistake)\b"
    r"|不对|不是.*(?:而是|是)|其实|改成|改为|改用|换成|应该是|而不是|错了|更正|纠正|算了|我的意思|为准|搞错|说错|弄错",
    re.IGNORECASE,
)
_DECISION = re.compile(
    r"\b(?:decid(?:ed?|ing)|decision|go(?:ing)? with|went with|chose|choos(?:e|ing)|chosen|opt(?:ed)? for|settled on|agreed|"
    r"(?:we|i)(?:'?ll| will) use|(?:use|using|keep|put|with) [^.;]{1,60} (?:instead of|rather than)|trade-?off|the (?:plan|approach|design) is|switch(?:ed|ing) to|"
    r"prefer(?:red)?|in favou?r of|root cause)\b"
    r"|决定|选择|选定|选用|采用|改用|而不是|方案|约定|商定|根本原因|原因是",
    re.IGNORECASE,
)
_PLAN = re.compile(
    r"\bto-?dos?\b|\bleft to do\b|\bwhat(?:'?s| is) left\b|\bnext up\b|\bremaining (?:work|tasks?|steps?|items?)\b|\boutstanding\b"
    r"|\bstill (?:to (?:do|come)|needs?|have|has|must|missing|open|pending|lacks?)\b|\bnot yet (?:done|implemented|covered|handled|written)\b"
    r"|\bunfinished\b|\bfollow-?ups?\b|\blater (?:we|i)\b|\bremains to\b"
    r"|待办|剩下|剩余的|还需要|还需|还要|还得|尚未|还没|接下来|后续|未完成|下一步",
    re.IGNORECASE,
)


def sentences(text: str) -> Iterator[str]:
    """The sentences of `text`, without code, bullets and pastes."""
    for piece in _END.split(_FENCE.sub("\n", text)):
        sentence = _BULLET.sub("", piece).strip()
        if 2 < len(sentence) <= LONGEST:
            yield sentence


def is_question(sentence: str) -> bool:
    """Whether it asks: a question binds nobody."""
    return sentence.rstrip("\"'”)").endswith(("?", "？"))


def is_rule(sentence: str) -> bool:
    """Whether it forbids, requires or prefers; read liberally, since it only decides what is kept first."""
    return _RULE.search(sentence) is not None and not is_question(sentence)


def is_correction(sentence: str) -> bool:
    """Whether it takes something back or puts another in its place."""
    return _CORRECTION.search(sentence) is not None and not is_question(sentence)


def is_decision(sentence: str) -> bool:
    """Whether it says what was chosen, or why."""
    return _DECISION.search(sentence) is not None and not is_question(sentence) and not sentence.endswith((":", "："))


def is_plan(sentence: str) -> bool:
    """Whether it says what is still to be done."""
    return _PLAN.search(sentence) is not None and not is_question(sentence)
