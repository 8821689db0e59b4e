"""Tests of GEM, of what it is compared with, and of how both are validated."""
