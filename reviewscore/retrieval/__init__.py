"""The index of a paper: what it holds, and which passages are nearest to some words."""
