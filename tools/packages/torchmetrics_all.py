"""torchmetrics: classification, regression, retrieval and aggregation metrics over batches."""

import torchmetrics
from torchmetrics import MetricCollection
from torchmetrics.classification import (
    MulticlassAccuracy,
    MulticlassAUROC,
    MulticlassCalibrationError,
    MulticlassConfusionMatrix,
    MulticlassF1Score,
)
from torchmetrics.functional import pairwise_cosine_similarity
from torchmetrics.image import PeakSignalNoiseRatio, StructuralSimilarityIndexMeasure
from torchmetrics.regression import MeanSquaredError, PearsonCorrCoef, R2Score, SpearmanCorrCoef
from torchmetrics.retrieval import RetrievalMAP

import torch

torch.manual_seed(0)
collection = MetricCollection([
    MulticlassAccuracy(4), MulticlassF1Score(4), MulticlassAUROC(4), MulticlassCalibrationError(4), MulticlassConfusionMatrix(4),
])  # fmt: skip
for _ in range(3):
    collection.update(torch.randn(20, 4).softmax(-1), torch.randint(0, 4, (20,)))
for name, value in collection.compute().items():
    print(name, value.tolist())
regression = MetricCollection([MeanSquaredError(), PearsonCorrCoef(), R2Score(), SpearmanCorrCoef()])
for _ in range(3):
    a = torch.randn(20)
    regression.update(a, a + torch.randn(20) * 0.3)
print("regression", {name: value.item() for name, value in regression.compute().items()})
images = torch.rand(2, 3, 32, 32), torch.rand(2, 3, 32, 32)
print("psnr", PeakSignalNoiseRatio(data_range=1.0)(*images).item())
print("ssim", StructuralSimilarityIndexMeasure(data_range=1.0)(*images).item())
print("map", RetrievalMAP()(torch.rand(10), torch.randint(0, 2, (10,)), indexes=torch.arange(10) // 5).item())
print("cosine", pairwise_cosine_similarity(torch.randn(3, 4)).sum().item())
mean = torchmetrics.MeanMetric()
mean.update(torch.tensor([1.0, 2.0]), torch.tensor([1.0, 3.0]))
print("mean", mean.compute().item(), len(mean.state_dict()))
