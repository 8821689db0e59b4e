"""Talking to models; knows nothing about reviews. Front door: `client.Client`."""
