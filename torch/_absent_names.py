"""Public names of PyTorch that are not here yet; written by `python -m tools.absent_names --write`.

MODULES lists whole modules; TABLE has names by the module that they belong to. Those of Tensor are in `_absent_methods`.
"""

MODULES = """
torch._decomp torch._export torch._higher_order_ops torch._numpy torch._prims torch._refs torch.accelerator.graphs
torch.accelerator.memory torch.ao.nn.intrinsic torch.ao.nn.qat torch.ao.nn.quantizable torch.ao.nn.quantized.dynamic
torch.ao.nn.sparse torch.ao.ns torch.ao.pruning torch.ao.quantization.quantize_fx torch.autograd.profiler_legacy torch.classes
torch.compiler.config torch.contrib torch.cuda.comm torch.cuda.gds torch.cuda.green_contexts torch.cuda.jiterator
torch.cuda.sparse torch.cuda.tunable torch.distributed.algorithms torch.distributed.argparse_util torch.distributed.autograd
torch.distributed.checkpoint torch.distributed.collective_utils torch.distributed.debug torch.distributed.elastic
torch.distributed.flight_recorder torch.distributed.launch torch.distributed.launcher torch.distributed.nn
torch.distributed.optim torch.distributed.pipelining torch.distributed.remote_device torch.distributed.rendezvous
torch.distributed.rpc torch.distributed.run torch.distributed.utils torch.export torch.fx.annotate
torch.fx.immutable_collections torch.fx.interpreter torch.fx.operator_schemas torch.fx.passes torch.fx.subgraph_rewriter
torch.fx.tensor_type torch.fx.traceback torch.jit.frontend torch.jit.mobile torch.jit.quantized torch.jit.supported_ops
torch.jit.unsupported_tensor_ops torch.mps.event torch.mps.profiler torch.mtia.memory torch.multiprocessing.pool
torch.multiprocessing.queue torch.multiprocessing.spawn torch.nativert torch.nested torch.nn.attention.experimental
torch.nn.attention.varlen torch.nn.intrinsic torch.nn.modules.linear_cross_entropy torch.nn.qat torch.nn.quantizable
torch.numa torch.onnx.errors torch.onnx.operators torch.onnx.ops torch.onnx.testing torch.onnx.utils torch.onnx.verification
torch.optim.sparse_adam torch.package torch.profiler.python_tracer torch.quantization.fake_quantize
torch.quantization.fuse_modules torch.quantization.observer torch.quantization.qconfig torch.quantization.quantize
torch.quantization.quantize_fx torch.quantization.stubs torch.sparse torch.utils.cpp_backtrace
torch.utils.data.backward_compatibility torch.utils.data.datapipes torch.utils.data.graph torch.utils.data.graph_settings
torch.utils.hipify torch.utils.jit torch.utils.mkldnn torch.utils.model_dump torch.utils.serialization torch.utils.show_pickle
torch.utils.tensorboard torch.utils.throughput_benchmark torch.utils.viz torch.xpu.graphs torch.xpu.memory torch.xpu.random
torch.xpu.streams
"""

TABLE = {
    "torch": """
DeepCopyMemoTable DeserializationStorageContext ExcludeDispatchKeyGuard FileCheck FunctionSchema LockingLogger NoopLogger
PyTorchFileWriter QInt32Storage QInt8Storage QUInt2x4Storage QUInt4x2Storage QUInt8Storage ScriptDictIterator
ScriptDictKeyIterator ScriptListIterator SerializationStorageContext ThroughputBenchmark batch_norm_backward_elemt
batch_norm_backward_reduce batch_norm_elemt batch_norm_gather_stats batch_norm_gather_stats_with_counts batch_norm_stats bit
bits16 bits1x8 bits2x4 bits4x2 bits8 ccol_indices_copy choose_qparams_optimized col_indices_copy crow_indices_copy
cudnn_affine_grid_generator cudnn_batch_norm cudnn_convolution cudnn_convolution_add_relu cudnn_convolution_relu
cudnn_convolution_transpose cudnn_grid_sampler cudnn_is_acceptable dequantize dsmm empty_quantized
fake_quantize_per_channel_affine fake_quantize_per_tensor_affine fbgemm_linear_fp16_weight
fbgemm_linear_fp16_weight_fp32_activation fbgemm_linear_int8_weight fbgemm_linear_int8_weight_fp32_activation
fbgemm_linear_quantize_weight fbgemm_pack_gemm_matrix_fp16 fbgemm_pack_quantized_matrix float4_e2m1fn_x2
fused_moving_avg_obs_fake_quant hsmm hspmm import_ir_module import_ir_module_from_buffer indices_copy int1 int2 int3 int4 int5
int6 int7 int_repr merge_type_from_type_comment miopen_batch_norm miopen_convolution miopen_convolution_add_relu
miopen_convolution_relu miopen_convolution_transpose miopen_ctc_loss miopen_depthwise_convolution miopen_rnn
mkldnn_adaptive_avg_pool2d mkldnn_linear_backward_weights mkldnn_max_pool2d mkldnn_max_pool3d native_norm parse_ir
parse_schema parse_type_comment per_channel_affine per_channel_affine_float_qparams per_channel_symmetric per_tensor_affine
per_tensor_symmetric q_per_channel_axis q_per_channel_scales q_per_channel_zero_points q_scale q_zero_point qint32 qint8
qscheme quantize_per_channel quantize_per_tensor quantize_per_tensor_dynamic quantized_batch_norm quantized_gru
quantized_gru_cell quantized_lstm quantized_lstm_cell quantized_max_pool1d quantized_max_pool2d quantized_max_pool3d
quantized_rnn_relu_cell quantized_rnn_tanh_cell quint2x4 quint4x2 quint8 resize_as_sparse_ row_indices_copy saddmm smm
sparse_bsc_tensor sparse_bsr_tensor sparse_compressed_tensor sparse_coo_tensor sparse_csc_tensor sparse_csr_tensor spmm
sspaddmm sym_constrain_range sym_constrain_range_for_size sym_fresh_size uint1 uint2 uint3 uint4 uint5 uint6 uint7
unify_type_list values_copy
""",
    "torch.accelerator": """
Graph
""",
    "torch.ao.nn.quantized": """
BatchNorm2d BatchNorm3d Conv1d Conv2d Conv3d ConvTranspose1d ConvTranspose2d ConvTranspose3d DeQuantize Dropout ELU Embedding
EmbeddingBag FXFloatFunctional GroupNorm Hardswish InstanceNorm1d InstanceNorm2d InstanceNorm3d LSTM LayerNorm LeakyReLU
Linear MultiheadAttention PReLU QFunctional Quantize ReLU6 Sigmoid Softmax
""",
    "torch.ao.quantization": """
AffineQuantizedObserverBase FakeQuantize FixedQParamsFakeQuantize FixedQParamsObserver FusedMovingAvgObsFakeQuantize
Granularity HistogramObserver MappingType MinMaxObserver MovingAverageMinMaxObserver MovingAveragePerChannelMinMaxObserver
NoopObserver ObserverOrFakeQuantize PerAxis PerBlock PerChannelMinMaxObserver PerGroup PerRow PerTensor PerToken
PlaceholderObserver QConfig QConfigAny QConfigDynamic QConfigMapping QuantType RecordingObserver ReuseInputObserver
TorchAODType UniformQuantizationObserverBase ZeroPointDomain add_quant_dequant convert convert_dynamic_jit convert_jit
default_affine_fixed_qparams_fake_quant default_affine_fixed_qparams_observer default_debug_observer
default_dynamic_fake_quant default_dynamic_quant_observer default_embedding_fake_quant default_embedding_fake_quant_4bit
default_eval_fn default_fake_quant default_fixed_qparams_range_0to1_fake_quant default_fixed_qparams_range_0to1_observer
default_fixed_qparams_range_neg1to1_fake_quant default_fixed_qparams_range_neg1to1_observer default_float_qparams_observer
default_float_qparams_observer_4bit default_fused_act_fake_quant default_fused_per_channel_wt_fake_quant
default_fused_wt_fake_quant default_histogram_fake_quant default_histogram_observer default_observer
default_per_channel_weight_fake_quant default_per_channel_weight_observer default_placeholder_observer
default_reuse_input_observer default_symmetric_fixed_qparams_fake_quant default_symmetric_fixed_qparams_observer
default_weight_fake_quant default_weight_observer disable_fake_quant disable_observer enable_fake_quant enable_observer
fuse_conv_bn fuse_conv_bn_jit fuse_conv_bn_relu fuse_convtranspose_bn fuse_linear_bn fuse_modules fuse_modules_qat
fused_per_channel_wt_fake_quant_range_neg_127_to_127 fused_wt_fake_quant_range_neg_127_to_127 get_block_size
get_default_compare_output_module_list get_default_custom_config_dict get_default_dynamic_quant_module_mappings
get_default_dynamic_sparse_quant_module_mappings get_default_float_to_quantized_operator_mappings
get_default_qat_module_mappings get_default_qat_qconfig get_default_qat_qconfig_dict get_default_qat_qconfig_mapping
get_default_qconfig get_default_qconfig_dict get_default_qconfig_mapping get_default_qconfig_propagation_list
get_default_static_quant_module_mappings get_default_static_quant_reference_module_mappings
get_default_static_sparse_quant_module_mappings get_dynamic_quant_module_class get_embedding_qat_module_mappings
get_embedding_static_quant_module_mappings get_fuser_method get_fuser_method_new get_observer_state_dict
get_quantized_operator get_static_quant_module_class load_observer_state_dict no_observer_set
per_channel_weight_observer_range_neg_127_to_127 prepare prepare_dynamic_jit prepare_jit prepare_qat propagate_qconfig_
qconfig_equals quantize quantize_dynamic quantize_dynamic_jit quantize_jit quantize_qat script_qconfig script_qconfig_dict
swap_module weight_observer_range_neg_127_to_127
""",
    "torch.autograd": """
NestedIOFunction enforce_grad_layout_policy
""",
    "torch.autograd.graph": """
allow_mutation_on_saved_tensors region_activation_memory_budget set_override_stale_capture_stream
set_warn_on_accumulate_grad_stream_mismatch
""",
    "torch.backends.cuda": """
blas_workspace_size cuFFTPlanCache cuFFTPlanCacheAttrContextProp cublas_workspace_size cublaslt_workspace_size
""",
    "torch.compiler": """
keep_portable_guards_unsafe keep_tensor_guards_unsafe load_cache_artifacts load_compiled_function nested_compile_region
save_cache_artifacts set_enable_guard_collectives skip_all_guards_unsafe skip_guard_on_all_nn_modules_unsafe
skip_guard_on_globals_unsafe skip_guard_on_inbuilt_nn_modules_unsafe wrap_numpy
""",
    "torch.cpu": """
Stream StreamContext current_stream stream
""",
    "torch.cuda": """
caching_allocator_disabled
""",
    "torch.distributed": """
BuiltinCommHookType GroupName RankType log reduce_op rendezvous set_debug_level
""",
    "torch.func": """
functionalize rearrange
""",
    "torch.fx": """
has_side_effect map_arg
""",
    "torch.library": """
get_kernel register_vmap
""",
    "torch.nn": """
LinearCrossEntropyLoss LinearCrossEntropyOptions
""",
    "torch.nn.functional": """
linear_cross_entropy scaled_grouped_mm scaled_mm
""",
    "torch.onnx": """
ExportableModule InputObserver
""",
    "torch.ops.aten": """
Bool Complex ComplexImplicit Delete Float FloatImplicit Generator Int IntImplicit ScalarImplicit Size append as_tensor
batch_norm_backward_elemt batch_norm_backward_reduce batch_norm_elemt batch_norm_gather_stats
batch_norm_gather_stats_with_counts batch_norm_stats bin broadcast_shapes can_cast capitalize ccol_indices ccol_indices_copy
center choose_qparams_optimized chr clear coalesce col_indices col_indices_copy confirmed_by_owner conv_depthwise3d
convolution_backward_overrideable convolution_overrideable copy_sparse_to_sparse copy_sparse_to_sparse_ count cpu crow_indices
crow_indices_copy cuda cudnn_affine_grid_generator cudnn_affine_grid_generator_backward cudnn_batch_norm
cudnn_batch_norm_backward cudnn_convolution cudnn_convolution_add_relu cudnn_convolution_relu cudnn_convolution_transpose
cudnn_grid_sampler cudnn_grid_sampler_backward cudnn_is_acceptable degrees dense_dim dequantize device dict dim dist_backward
divmod embedding_sparse_backward empty_quantized endswith expandtabs extend fabs factorial fake_quantize_per_channel_affine
fake_quantize_per_channel_affine_cachemask fake_quantize_per_channel_affine_cachemask_backward fake_quantize_per_tensor_affine
fake_quantize_per_tensor_affine_cachemask fake_quantize_per_tensor_affine_cachemask_backward fbgemm_linear_fp16_weight
fbgemm_linear_fp16_weight_fp32_activation fbgemm_linear_int8_weight fbgemm_linear_int8_weight_fp32_activation
fbgemm_linear_quantize_weight fbgemm_pack_gemm_matrix_fp16 fbgemm_pack_quantized_matrix find flatten_dense_tensors floordiv
format fused_moving_avg_obs_fake_quant gamma get get_autocast_dtype get_device get_gradients grad has_torch_function hash hex
hspmm indices indices_copy initial_seed insert int_repr is_autocast_cpu_enabled is_autocast_enabled is_coalesced
is_grad_enabled is_owner is_scripting is_vulkan_available isalnum isalpha isdecimal isdigit isidentifier islower isnumeric
isprintable isspace istitle isupper items join keys len linear_backward list ljust local_value lower lstm_mps_backward lstrip
manual_seed mathremainder matmul_backward max_pool2d_backward miopen_batch_norm miopen_batch_norm_backward miopen_convolution
miopen_convolution_add_relu miopen_convolution_relu miopen_convolution_transpose miopen_ctc_loss miopen_depthwise_convolution
miopen_rnn miopen_rnn_backward mkldnn_adaptive_avg_pool2d mkldnn_adaptive_avg_pool2d_backward mkldnn_linear
mkldnn_linear_backward mkldnn_linear_backward_input mkldnn_linear_backward_weights mkldnn_max_pool2d
mkldnn_max_pool2d_backward mkldnn_max_pool3d mkldnn_max_pool3d_backward mkldnn_reorder_conv2d_weight
mkldnn_reorder_conv3d_weight modf mps_convolution_backward mps_convolution_transpose_backward native_norm
nested_to_padded_tensor oct ord owner owner_name partition percentFormat pin_memory pop popitem promote_types
q_per_channel_axis q_per_channel_scales q_per_channel_zero_points q_scale q_zero_point qscheme quantize_per_channel
quantize_per_tensor quantize_per_tensor_dynamic quantized_batch_norm quantized_gru quantized_gru_cell quantized_lstm
quantized_lstm_cell quantized_max_pool1d quantized_max_pool2d quantized_max_pool3d quantized_rnn_relu_cell
quantized_rnn_tanh_cell radians record_stream remove replace resize_as_sparse resize_as_sparse_ retain_grad reverse rfind
rindex rjust row_indices row_indices_copy rpartition rsplit rstrip save seed set_data set_grad_enabled setdefault smm sorted
sparse_bsc_tensor sparse_bsr_tensor sparse_compressed_tensor sparse_coo_tensor sparse_csc_tensor sparse_csr_tensor sparse_dim
sparse_mask sparse_resize sparse_resize_ sparse_resize_and_clear sparse_resize_and_clear_ sparse_sampled_addmm splitlines
sspaddmm startswith str strip swapcase sym_constrain_range sym_constrain_range_for_size sym_is_contiguous sym_numel sym_size
sym_storage_offset sym_stride tensor title to_dense to_dense_backward to_here to_mkldnn to_mkldnn_backward to_padded_tensor
to_sparse to_sparse_bsc to_sparse_bsr to_sparse_csc to_sparse_csr unflatten_dense_tensors update upper values values_copy wait
warn zfill
""",
    "torch.optim": """
SparseAdam
""",
    "torch.overrides": """
enable_reentrant_dispatch redispatch_function
""",
    "torch.utils.benchmark": """
FuzzedSparseTensor
""",
    "torch.utils.checkpoint": """
GraphExecGroup
""",
    "torch.utils.cpp_extension": """
SyclExtension check_compiler_is_gcc check_compiler_ok_for_platform get_compiler_abi_compatibility_and_version
remove_extension_h_precompiler_headers
""",
    "torch.utils.data": """
DFIterDataPipe DataChunk IterDataPipe MapDataPipe argument_validation functional_datapipe guaranteed_datapipes_determinism
non_deterministic runtime_validation runtime_validation_disabled
""",
}
