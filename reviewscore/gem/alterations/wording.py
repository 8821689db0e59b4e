"""Fixed wording that alterations put into reviews: it fits any paper and says nothing of one."""

from __future__ import annotations

INTRODUCTIONS = {
    "summary of the paper": (
        "Before anything else, these lines go over what the submission sets out to do, which means "
        "it chooses and what it reports in the end, so that the later remarks can be read against "
        "that background. To begin with:"
    ),
    "strength and weaknesses": (
        "The remarks under this heading go through what speaks for the submission and what speaks "
        "against it. They are meant to be of use to the authors as well as to those who have to "
        "decide, and they look at the ideas, at how these were tested and at how they are told."
        "{summaries} In detail, the remarks are these."
    ),
    "clarity quality novelty and reproducibility": (
        "Under this heading the text is looked at for how well it reads, how carefully the work "
        "was done, how much of it is new and whether others could repeat it. Each of these matters "
        "to readers of the field, and each is touched on as far as the submission allows."
    ),
    "summary of the review": (
        "To close, the remarks made so far are drawn together, the favourable ones along with the "
        "others, so that everybody concerned can see at a glance how the submission was received."
    ),
}
"""What meaningless elongation puts before each section of a raw review, by the section's name."""
ANY_INTRODUCTION = (
    "This part of the review takes up further matters that seemed worth noting while reading, in "
    "the order in which they came up."
)
"""What it puts before a section with another name, or a review without headings."""
SUMMARIES = (
    " In a word, what speaks for it is {strengths}, and what speaks against it is {weaknesses}."
)
"""Where a model was asked, what goes into the introduction of strengths and weaknesses."""

FILLER_JUDGMENTS = (
    "The reviewer appreciates being given the submission to read.",
    "The reviewer appreciates that remarks can be made on several sides of the work.",
    "The reviewer suggests reading the following remarks together.",
    "The reviewer suggests keeping in mind both what is good and what is not.",
)
"""What meaningless elongation puts before judgments."""

PRAISE = (
    "The reviewer appreciates the excellent writing.",
    "The reviewer appreciates the important topic.",
    "The reviewer appreciates the impressive results.",
    "The reviewer appreciates the thorough experiments.",
    "The reviewer appreciates the great originality.",
    "The reviewer appreciates the clear presentation.",
    "The reviewer appreciates the solid theory.",
    "The reviewer appreciates the value for the community.",
)
"""Praise that costs nothing."""

GENERIC = {
    "Summary Of The Paper": (
        "The submission takes up an open problem of the field.",
        "It proposes a method and compares it with earlier ones.",
    ),
    "Strength And Weaknesses": (
        "The topic is timely.",
        "The text is mostly easy to follow.",
        "The method is simple.",
        "The results look promising.",
        "The novelty is limited.",
        "More baselines should be compared.",
        "More data sets would help.",
        "The choice of the hyperparameters is not discussed.",
        "The cost of the computation is not reported.",
    ),
    "Clarity, Quality, Novelty And Reproducibility": (
        "Some notation is not introduced.",
        "The code should be published.",
    ),
    "Summary Of The Review": ("There are merits, and there are shortcomings.",),
}
"""A review that fits any paper, by section."""
GENERIC_JUDGMENTS = (
    "The reviewer appreciates the timely topic.",
    "The reviewer appreciates that the text is easy to follow.",
    "The reviewer appreciates the simplicity of the method.",
    "The reviewer appreciates the promising results.",
    "The reviewer criticizes the limited novelty.",
    "The reviewer criticizes the lack of baselines.",
    "The reviewer criticizes the small number of data sets.",
    "The reviewer questions the choice of the hyperparameters.",
    "The reviewer questions the cost of the computation.",
    "The reviewer suggests more experiments.",
    "The reviewer suggests explaining the notation.",
    "The reviewer suggests publishing the code.",
)
"""The same as judgments."""

STUFFED = "The reviewer appreciates {words}."
"""The line that topic words are put into."""
