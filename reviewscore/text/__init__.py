"""What several rooms need of English: stems, stop words, sentences."""
