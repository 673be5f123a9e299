"""From what people paste to what causes it: messages, facts and configuration lines, and the causes they leave."""
