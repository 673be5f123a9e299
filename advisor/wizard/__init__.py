"""The wizard on a terminal, in Textual. Its state is advisor.session; here is what is seen and which key does what."""
