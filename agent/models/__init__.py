"""What is known of models without asking anybody: windows, prices, capabilities, tokenizers, aliases."""
