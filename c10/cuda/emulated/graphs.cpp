// Capture of streams on the emulated device, and graphs: lists of work that a stream runs again.

#include <cstdio>
#include <memory>
#include <set>

#include "activities.h"
#include "device.h"

namespace torch_emulated_cuda {
namespace {

thread_local cudaStreamCaptureMode t_capture_mode = cudaStreamCaptureModeGlobal;
unsigned long long g_captures = 0;
std::set<Graph*> g_being_captured;

}  // namespace

cudaError_t invalidate(Graph& graph, cudaError_t error) {
  graph.is_invalid = true;
  return remember(error);
}

// A point of a captured stream: the stream that waits for it joins the capture.
cudaError_t join_capture(Stream& waits, const Event& event) {
  Graph& graph = *event.graph;
  if (!g_being_captured.count(&graph)) return remember(cudaErrorCapturedEvent);
  if (waits.capture && waits.capture != event.graph)
    return invalidate(graph, cudaErrorStreamCaptureIsolation);
  waits.capture = event.graph;
  graph.streams.insert(&waits);
  if (&waits == event.stream) return cudaSuccess;
  graph.unjoined.erase(event.stream);
  if (&waits != graph.origin) graph.unjoined.insert(&waits);
  return cudaSuccess;
}

cudaError_t refuse_in_capture() {
  Lock lock(device_mutex());
  for (Graph* graph : g_being_captured) {
    if (t_capture_mode == cudaStreamCaptureModeRelaxed) continue;
    const bool is_mine =
        graph->thread == std::this_thread::get_id() && graph->mode != cudaStreamCaptureModeRelaxed;
    const bool is_of_all =
        graph->mode == cudaStreamCaptureModeGlobal && t_capture_mode == cudaStreamCaptureModeGlobal;
    if (is_mine || is_of_all) return invalidate(*graph, cudaErrorStreamCaptureUnsupported);
  }
  return cudaSuccess;
}

}  // namespace torch_emulated_cuda

using namespace torch_emulated_cuda;

extern "C" {

cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
  std::swap(*mode, t_capture_mode);
  return cudaSuccess;
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode) {
  Lock lock(device_mutex());
  // As there: the default stream cannot be captured.
  if (!stream || stream == cudaStreamLegacy || !is_known(stream))
    return remember(cudaErrorStreamCaptureUnsupported);
  stream = stream_of(stream);
  if (stream->capture) return invalidate(*stream->capture, cudaErrorStreamCaptureUnsupported);
  auto graph = std::make_shared<Graph>();
  graph->origin = stream;
  graph->id = ++g_captures;
  graph->mode = mode;
  graph->thread = std::this_thread::get_id();
  graph->streams.insert(stream);
  g_being_captured.insert(graph.get());
  stream->capture = std::move(graph);
  return cudaSuccess;
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  Lock lock(device_mutex());
  *graph = nullptr;
  if (stream && is_known(stream)) stream = stream_of(stream);
  if (!stream || !is_known(stream) || !stream->capture || stream->capture->origin != stream)
    return remember(cudaErrorStreamCaptureUnmatched);
  std::shared_ptr<Graph> captured = stream->capture;
  g_being_captured.erase(captured.get());
  for (Stream* member : captured->streams)
    if (is_known(member)) member->capture.reset();
  if (captured->is_invalid) return remember(cudaErrorStreamCaptureInvalidated);
  if (!captured->unjoined.empty()) return remember(cudaErrorStreamCaptureUnjoined);
  *graph = new Graph(std::move(*captured));
  return cudaSuccess;
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
  unsigned long long id;
  return cudaStreamGetCaptureInfo(stream, status, &id);
}

cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, cudaStreamCaptureStatus* status,
                                     unsigned long long* id) {
  Lock lock(device_mutex());
  if (!is_known(stream)) return remember(cudaErrorInvalidResourceHandle);
  const auto& graph = stream_of(stream)->capture;
  *status = !graph              ? cudaStreamCaptureStatusNone
            : graph->is_invalid ? cudaStreamCaptureStatusInvalidated
                                : cudaStreamCaptureStatusActive;
  *id = graph ? graph->id : 0;
  return cudaSuccess;
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* result, cudaGraph_t graph, unsigned long long) {
  if (!graph) return remember(cudaErrorInvalidValue);
  *result = new GraphExec{graph->work, graph->events};
  return cudaSuccess;
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t graph, cudaStream_t stream) {
  if (!graph) return remember(cudaErrorInvalidValue);
  Call call("cudaGraphLaunch");
  Lock lock(device_mutex());
  const cudaError_t error =
      enqueue(stream, [work = graph->work, correlation = Call::correlation()] {
    Replay replay(correlation);
    for (const auto& piece : work) {
      if (sticky_error() == cudaSuccess) piece();
    }
  });
  // They stand behind the whole of it.
  for (Event* event : graph->events) {
    event->stream = stream_of(stream);
    event->at = event->stream->queued;
    event->recorded = true;
  }
  return error;
}

// Work has no name here: numbered boxes in their order.
cudaError_t cudaGraphDebugDotPrint(cudaGraph_t graph, const char* path, unsigned) {
  if (!graph || !path) return remember(cudaErrorInvalidValue);
  std::FILE* file = std::fopen(path, "w");
  if (!file) return remember(cudaErrorInvalidValue);
  std::fputs("digraph cuda_graph {\n", file);
  for (size_t k = 0; k < graph->work.size(); ++k) {
    std::fprintf(file, "  work_%zu;\n", k);
    if (k > 0) std::fprintf(file, "  work_%zu -> work_%zu;\n", k - 1, k);
  }
  std::fputs("}\n", file);
  return std::fclose(file) == 0 ? cudaSuccess : remember(cudaErrorUnknown);
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  delete graph;
  return cudaSuccess;
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t graph) {
  delete graph;
  return cudaSuccess;
}

}  // extern "C"
