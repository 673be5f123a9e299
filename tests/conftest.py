"""No test depends on the clock: what Hypothesis tries may take as long as a busy machine needs."""

from hypothesis import settings

settings.register_profile("unhurried", settings.default, deadline=None)
settings.load_profile("unhurried")
