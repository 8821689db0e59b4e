"""Talking to models; knows nothing about reviews. Entry point: `client.Client`."""
