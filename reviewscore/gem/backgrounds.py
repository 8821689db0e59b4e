"""Primed ``lexical-cache`` models for papers that they have not seen."""

from __future__ import annotations

import hashlib
import json
from abc import abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import partial
from itertools import chain
from pathlib import Path

from reviewscore.errors import InputError
from reviewscore.gem.evaluation import EvaluationModel
from reviewscore.gem.lexical.model import VERSION, LexicalCache, ModelState, paper_key, save
from reviewscore.gem.lexical.prime import Known, SplitPapers, prime, prime_on
from reviewscore.sources.system_reviews import PEOPLE, Materials, SystemReview, TextForm

ENOUGH = 100
"""Papers from which a background is good enough to be trusted."""
FOLDS = 5
_OWN = 100
"""Characters from which on a review that is found elsewhere is the same review."""


def text_of(review: SystemReview, form: TextForm) -> str:
    """The text of a review in one form; empty if it is not there."""
    return review.judgments if form == TextForm.JUDGMENTS else review.raw


class KnownPapers(Iterable[Known]):
    """The people's reviews of some papers, one by each, as a background is primed with them.

    They are read anew whenever they are gone through, and held by nobody.

    Args:
        materials: The reviews.
        form: Their text.
        papers: Which papers; all if not given.
    """

    def __init__(
        self, materials: Materials, form: TextForm, papers: Collection[str] | None = None
    ) -> None:
        self.form = form
        self.papers = materials.papers if papers is None else papers
        self._materials = materials

    def __iter__(self) -> Iterator[Known]:
        for paper_id in self.papers:
            texts: dict[str, str] = {}
            for review in self._materials.papers[paper_id]:
                text = text_of(review, self.form)
                if review.system == PEOPLE and text.strip():
                    texts.setdefault(review.reviewer or review.review_id, text)
            row = self._materials.synopses.get(paper_id)
            yield Known(list(texts.values()), row.abstract if row else None, paper_id)


class Primer:
    """Primes models and keeps them in a folder, by what they were primed with.

    Args:
        folder: Where they are kept; None keeps nothing.
        strict: Refuse a background of fewer than `ENOUGH` papers instead of warning.
        say: Told what the user should know.
    """

    def __init__(
        self, folder: Path | None, *, strict: bool = False, say: Callable[[str], None]
    ) -> None:
        self._folder, self._strict, self._say = folder, strict, say
        self._warned: set[str] = set()

    def primed(
        self, papers: KnownPapers, learn: Callable[[], ModelState] | None = None
    ) -> LexicalCache:
        """A model that has learned from these papers.

        Args:
            papers: The papers.
            learn: Learns from them, where their texts are split already.

        Raises:
            InputError: There are too few.
        """
        learn = learn or partial(prime, papers, form=papers.form)
        self.check(sum(len(known.reviews) > 1 for known in papers), papers.form)
        if self._folder is None:
            return LexicalCache(learn())
        file = self._folder / f"{_sha256(papers)}.npz"
        if not file.is_file():
            self._say(f"priming on {len(papers.papers):,} papers ({papers.form}), once")
            save(learn(), file)
        try:
            return LexicalCache.load(file)
        except InputError:  # a file that a full disk or another program spoilt
            state = learn()
            save(state, file)
            return LexicalCache(state)

    def check(self, usable: int, form: str, *, file: Path | None = None) -> None:
        """Warn of a background of few papers, once for each form.

        Args:
            usable: How many papers with two reviews it has.
            form: Text of the reviews.
            file: Where it is from, if it was primed before.

        Raises:
            InputError: It has too few, and that is to be refused.
        """
        if usable >= ENOUGH:
            return
        problem = f"{usable} papers with two reviews are fewer than {ENOUGH} for a background"
        cure = "give more papers with --background, which are not scored themselves"
        if self._strict:
            raise InputError(problem, file=file, cure=cure)
        if form not in self._warned:
            self._warned.add(form)
            self._say(f"warning: {problem} ({form}): scores will be noisy; {cure}")


def _sha256(papers: KnownPapers) -> str:
    """A name for what is learned from papers."""
    hashed = hashlib.sha256(f"lexical-cache/{VERSION}/{papers.form}".encode())
    for known in papers:
        hashed.update(json.dumps([known.paper_id, *known.reviews, known.synopsis]).encode())
    return hashed.hexdigest()[:32]


class Evaluators:
    """Finds the evaluation model for each paper; all papers are in one group if nothing is said.

    Attributes:
        name: Of the kind of model.
        files: What was read beside the data.
    """

    name = LexicalCache.name
    files: Sequence[Path] = ()

    def group(self, paper_id: str) -> int | None:
        """Papers of one group share a model; None if a paper must not be scored."""
        return 0

    @abstractmethod
    def model(self, form: TextForm, group: int) -> EvaluationModel:
        """The model of a group for a form of text."""

    def notes(self) -> list[str]:
        """What a reader of the scores must know of the models."""
        return []


class OneModel(Evaluators):
    """The same evaluation model for every paper and form."""

    def __init__(self, model: EvaluationModel) -> None:
        self.name = model.name
        self._model = model

    def model(self, form: TextForm, group: int) -> EvaluationModel:
        """The model."""
        return self._model


class Background(Evaluators):
    """Models primed on papers other than those that are scored.

    Attributes:
        papers: Those that it learns from.
        left_out: How many are scored.

    Args:
        materials: The background's reviews.
        primer: Primes models.
        scored: What is scored. Papers of a name in it, or with a review that is in it word for
            word, are taken out of the background.
    """

    def __init__(self, materials: Materials, primer: Primer, scored: Materials) -> None:
        self.files = materials.files
        self._materials, self._primer = materials, primer
        known = {text for review in scored.all() for text in _fingerprints(review)}
        self.papers = [
            paper
            for paper, reviews in materials.papers.items()
            if paper not in scored.papers and known.isdisjoint(chain(*map(_fingerprints, reviews)))
        ]
        self.left_out = len(materials.papers) - len(self.papers)

    def model(self, form: TextForm, group: int) -> LexicalCache:
        """The model for a form of text."""
        return self._primer.primed(KnownPapers(self._materials, form, self.papers))

    def notes(self) -> list[str]:
        """How large the background is."""
        return [f"background: {len(self.papers):,} papers, none of which is scored"]


def _fingerprints(review: SystemReview) -> list[bytes]:
    """Digests of the texts of a review that are long enough to be told from others'."""
    return [
        hashlib.blake2b(text.encode(errors="surrogatepass"), digest_size=16).digest()
        for text in (review.raw, review.judgments)
        if len(text) >= _OWN
    ]


class CrossFitted(Evaluators):
    """Models primed on the other folds of the very papers that are scored.

    Args:
        materials: The reviews that are scored; people's alone teach.
        primer: Primes models.
    """

    def __init__(self, materials: Materials, primer: Primer) -> None:
        self._materials, self._primer = materials, primer
        ordered = sorted(materials.papers, key=paper_key)
        self._fold = {paper: number % FOLDS for number, paper in enumerate(ordered)}
        self._split: tuple[TextForm, SplitPapers] | None = None

    def group(self, paper_id: str) -> int | None:
        """The fold of a paper."""
        return self._fold[paper_id]

    def model(self, form: TextForm, group: int) -> LexicalCache:
        """The model for papers of one fold, which it has not seen."""
        others = [paper for paper in self._materials.papers if self._fold[paper] != group]
        papers = KnownPapers(self._materials, form, others)
        return self._primer.primed(papers, partial(self._learn, form, group))

    def _learn(self, form: TextForm, group: int) -> ModelState:
        """Learn from the other folds; texts of a form are split into words once for all folds."""
        if self._split is None or self._split[0] is not form:
            self._split = form, SplitPapers(KnownPapers(self._materials, form))
        own = {paper_key(paper) for paper, fold in self._fold.items() if fold == group}
        return prime_on(self._split[1], own, form=form)

    def notes(self) -> list[str]:
        """How papers are kept apart."""
        many = len(self._materials.papers)
        return [
            f"background: the people's reviews of the data itself ({many:,} papers in {FOLDS} "
            "folds; no paper is scored by a model that has seen it)"
        ]


class Primed(Evaluators):
    """A model from a file that `reviewscore gem prime` wrote.

    Args:
        path: The file.
        primer: Warns of backgrounds of few papers, or refuses them.

    Raises:
        InputError: It is no such file, or of too few papers.
    """

    def __init__(self, path: Path, primer: Primer) -> None:
        self.files = (path,)
        self._path, self._model = path, LexicalCache.load(path)
        primer.check(len(self._model.state.papers), self._model.state.form, file=path)

    def group(self, paper_id: str) -> int | None:
        """None for papers that the model has learned from."""
        return None if paper_key(paper_id) in self._model.state.papers else 0

    def model(self, form: TextForm, group: int) -> EvaluationModel:
        """The model.

        Raises:
            InputError: It was primed on another form of text.
        """
        if self._model.state.form != form:
            raise InputError(
                f"was primed on {self._model.state.form}, and {form} are to be scored",
                file=self._path,
                cure=f"choose with --variant, or prime with `--form {form}`",
            )
        return self._model

    def notes(self) -> list[str]:
        """How large the background is."""
        many = len(self._model.state.papers)
        return [f"background: {self._path.name}, {many:,} papers, none of which is scored"]
