"""What several rooms need of English: sentences, stems, stop words, overlap of words."""
