"""Public names of PyTorch that are not here yet; written by `python -m tools.absent_names --write`.

MODULES lists whole modules; TABLE has names by the module that they belong to. Those of Tensor are in `_absent_methods`.
"""

MODULES = """
torch._decomp torch._export torch._higher_order_ops torch._numpy torch._prims torch._refs torch._subclasses
torch.accelerator.graphs torch.accelerator.memory torch.ao torch.autograd.profiler_legacy torch.classes torch.compiler.config
torch.contrib torch.cuda.comm torch.cuda.gds torch.cuda.green_contexts torch.cuda.jiterator torch.cuda.sparse
torch.cuda.tunable torch.distributed.algorithms torch.distributed.argparse_util torch.distributed.autograd
torch.distributed.checkpoint torch.distributed.collective_utils torch.distributed.constants torch.distributed.debug
torch.distributed.device_mesh torch.distributed.distributed_c10d torch.distributed.elastic torch.distributed.flight_recorder
torch.distributed.fsdp torch.distributed.launch torch.distributed.launcher torch.distributed.nn torch.distributed.optim
torch.distributed.pipelining torch.distributed.remote_device torch.distributed.rendezvous torch.distributed.rpc
torch.distributed.run torch.distributed.tensor torch.distributed.utils torch.export torch.fx.annotate torch.fx.experimental
torch.fx.graph torch.fx.graph_module torch.fx.immutable_collections torch.fx.interpreter torch.fx.node
torch.fx.operator_schemas torch.fx.passes torch.fx.proxy torch.fx.subgraph_rewriter torch.fx.tensor_type torch.fx.traceback
torch.jit.frontend torch.jit.mobile torch.jit.quantized torch.jit.supported_ops torch.jit.unsupported_tensor_ops torch.masked
torch.mps.event torch.mps.profiler torch.mtia.memory torch.multiprocessing.pool torch.multiprocessing.queue
torch.multiprocessing.spawn torch.nativert torch.nested torch.nn.attention torch.nn.grad torch.nn.intrinsic
torch.nn.modules.lazy torch.nn.modules.linear_cross_entropy torch.nn.modules.utils torch.nn.parallel torch.nn.qat
torch.nn.quantizable torch.nn.quantized torch.numa torch.onnx torch.optim.sparse_adam torch.package
torch.profiler.python_tracer torch.quantization torch.quasirandom torch.sparse torch.utils.cpp_backtrace
torch.utils.data.backward_compatibility torch.utils.data.datapipes torch.utils.data.graph torch.utils.data.graph_settings
torch.utils.hipify torch.utils.jit torch.utils.mkldnn torch.utils.model_dump torch.utils.serialization torch.utils.show_pickle
torch.utils.tensorboard torch.utils.throughput_benchmark torch.utils.viz torch.xpu.graphs torch.xpu.memory torch.xpu.random
torch.xpu.streams
"""

TABLE = {
    "torch": """
DeepCopyMemoTable DeserializationStorageContext ExcludeDispatchKeyGuard FileCheck FunctionSchema LockingLogger NoopLogger
PyTorchFileWriter QInt32Storage QInt8Storage QUInt2x4Storage QUInt4x2Storage QUInt8Storage ScriptDictIterator
ScriptDictKeyIterator ScriptListIterator SerializationStorageContext ThroughputBenchmark as_strided_scatter
batch_norm_backward_elemt batch_norm_backward_reduce batch_norm_elemt batch_norm_gather_stats
batch_norm_gather_stats_with_counts batch_norm_stats batch_norm_update_stats bit bits16 bits1x8 bits2x4 bits4x2 bits8
ccol_indices_copy choose_qparams_optimized col_indices_copy crow_indices_copy cudnn_affine_grid_generator cudnn_batch_norm
cudnn_convolution cudnn_convolution_add_relu cudnn_convolution_relu cudnn_convolution_transpose cudnn_grid_sampler
cudnn_is_acceptable dequantize dsmm empty_quantized fake_quantize_per_channel_affine fake_quantize_per_tensor_affine
fbgemm_linear_fp16_weight fbgemm_linear_fp16_weight_fp32_activation fbgemm_linear_int8_weight
fbgemm_linear_int8_weight_fp32_activation fbgemm_linear_quantize_weight fbgemm_pack_gemm_matrix_fp16
fbgemm_pack_quantized_matrix fill float4_e2m1fn_x2 from_file fused_moving_avg_obs_fake_quant hash_tensor hsmm hspmm
import_ir_module import_ir_module_from_buffer indices_copy int1 int2 int3 int4 int5 int6 int7 int_repr
merge_type_from_type_comment miopen_batch_norm miopen_convolution miopen_convolution_add_relu miopen_convolution_relu
miopen_convolution_transpose miopen_ctc_loss miopen_depthwise_convolution miopen_rnn mkldnn_adaptive_avg_pool2d
mkldnn_linear_backward_weights mkldnn_max_pool2d mkldnn_max_pool3d native_norm parse_ir parse_schema parse_type_comment
per_channel_affine per_channel_affine_float_qparams per_channel_symmetric per_tensor_affine per_tensor_symmetric
q_per_channel_axis q_per_channel_scales q_per_channel_zero_points q_scale q_zero_point qint32 qint8 qscheme
quantize_per_channel quantize_per_tensor quantize_per_tensor_dynamic quantized_batch_norm quantized_gru quantized_gru_cell
quantized_lstm quantized_lstm_cell quantized_max_pool1d quantized_max_pool2d quantized_max_pool3d quantized_rnn_relu_cell
quantized_rnn_tanh_cell quint2x4 quint4x2 quint8 resize_as_sparse_ row_indices_copy saddmm slice_inverse smm sparse_bsc_tensor
sparse_bsr_tensor sparse_compressed_tensor sparse_coo_tensor sparse_csc_tensor sparse_csr_tensor spmm sspaddmm
sym_constrain_range sym_constrain_range_for_size sym_fresh_size uint1 uint2 uint3 uint4 uint5 uint6 uint7 unify_type_list
values_copy vmap
""",
    "torch.accelerator": """
Graph
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
AllToAllOptions AllreduceCoalescedOptions AllreduceOptions Backend BackendConfig BarrierOptions BroadcastOptions
BuiltinCommHookType DebugLevel DeviceMesh DistBackendError DistError DistNetworkError DistStoreError FileStore GatherOptions
GradBucket GroupMember GroupName HashStore Logger P2POp PrefixStore ProcessGroup ProcessGroupGloo QueueEmptyError RankType
ReduceOp ReduceOptions ReduceScatterOptions Reducer ScatterOptions Store TCPStore Work all_gather all_gather_coalesced
all_gather_into_tensor all_gather_object all_gather_single all_reduce all_reduce_coalesced all_to_all all_to_all_single
barrier batch_isend_irecv breakpoint broadcast broadcast_object_list default_pg_timeout destroy_process_group gather
gather_object get_backend get_backend_config get_debug_level get_default_backend_for_device get_global_rank get_group_rank
get_node_local_rank get_pg_count get_process_group_ranks get_rank get_world_size group init_device_mesh init_process_group
irecv is_backend_available is_gloo_available is_initialized is_mpi_available is_nccl_available is_torchelastic_launched
is_ucc_available is_xccl_available isend log monitored_barrier new_group new_subgroups new_subgroups_by_enumeration
record_comm recv recv_object_list reduce reduce_op reduce_scatter reduce_scatter_single reduce_scatter_tensor
register_rendezvous_handler rendezvous scatter scatter_object_list send send_object_list set_debug_level
set_debug_level_from_env shrink_group split_group supports_complex
""",
    "torch.func": """
debug_unwrap functionalize grad grad_and_value hessian jacfwd jacrev jvp linearize rearrange replace_all_batch_norm_modules_
vjp vmap
""",
    "torch.fx": """
Graph GraphModule Interpreter Node Proxy Tracer Transformer has_side_effect map_arg replace_pattern symbolic_trace
""",
    "torch.library": """
get_kernel register_vmap
""",
    "torch.nn": """
Container DataParallel LinearCrossEntropyLoss LinearCrossEntropyOptions
""",
    "torch.nn.functional": """
BroadcastingList1 BroadcastingList2 BroadcastingList3 GRID_SAMPLE_INTERPOLATION_MODES GRID_SAMPLE_PADDING_MODES ScalingType
SwizzleType Tensor assert_int_or_pair boolean_dispatch grouped_mm linear_cross_entropy scaled_grouped_mm scaled_mm
""",
    "torch.ops.aten": """
Bool Complex ComplexImplicit Delete Float FloatImplicit Generator Int IntImplicit ScalarImplicit Size
adaptive_avg_pool3d_backward affine_grid_generator_backward append as_strided_scatter as_tensor backward batch_norm_backward
batch_norm_backward_elemt batch_norm_backward_reduce batch_norm_elemt batch_norm_gather_stats
batch_norm_gather_stats_with_counts batch_norm_stats batch_norm_update_stats bin broadcast_shapes can_cast capitalize
ccol_indices ccol_indices_copy center choose_qparams_optimized chr clear coalesce col_indices col_indices_copy
confirmed_by_owner conv_depthwise3d conv_tbc_backward convolution_backward_overrideable convolution_overrideable copy
copy_sparse_to_sparse copy_sparse_to_sparse_ count cpu crow_indices crow_indices_copy cuda cudnn_affine_grid_generator
cudnn_affine_grid_generator_backward cudnn_batch_norm cudnn_batch_norm_backward cudnn_convolution cudnn_convolution_add_relu
cudnn_convolution_relu cudnn_convolution_transpose cudnn_grid_sampler cudnn_grid_sampler_backward cudnn_is_acceptable
cummaxmin_backward cumprod_backward data degrees dense_dim dequantize device dict dim dist_backward divmod element_size
embedding_sparse_backward empty_quantized endswith expandtabs extend fabs factorial fake_quantize_per_channel_affine
fake_quantize_per_channel_affine_cachemask fake_quantize_per_channel_affine_cachemask_backward fake_quantize_per_tensor_affine
fake_quantize_per_tensor_affine_cachemask fake_quantize_per_tensor_affine_cachemask_backward fbgemm_linear_fp16_weight
fbgemm_linear_fp16_weight_fp32_activation fbgemm_linear_int8_weight fbgemm_linear_int8_weight_fp32_activation
fbgemm_linear_quantize_weight fbgemm_pack_gemm_matrix_fp16 fbgemm_pack_quantized_matrix fill find flatten_dense_tensors
floordiv format from_file fused_moving_avg_obs_fake_quant gamma get get_autocast_dtype get_device get_gradients glu_backward
glu_backward_jvp glu_jvp grad has_torch_function hash hash_tensor hex hspmm indices indices_copy
infinitely_differentiable_gelu_backward initial_seed insert int_repr is_autocast_cpu_enabled is_autocast_enabled is_coalesced
is_complex is_contiguous is_distributed is_floating_point is_grad_enabled is_inference is_leaf is_non_overlapping_and_dense
is_owner is_pinned is_same_size is_scripting is_set_to is_signed is_strides_like_format is_vulkan_available isalnum isalpha
isdecimal isdigit isidentifier islower isnumeric isprintable isspace istitle isupper items join keys len lift lift_fresh
lift_fresh_copy linear_backward list ljust local_value lower lstm_mps_backward lstrip manual_seed mathremainder
matmul_backward max_pool2d_backward miopen_batch_norm miopen_batch_norm_backward miopen_convolution
miopen_convolution_add_relu miopen_convolution_relu miopen_convolution_transpose miopen_ctc_loss miopen_depthwise_convolution
miopen_rnn miopen_rnn_backward mkldnn_adaptive_avg_pool2d mkldnn_adaptive_avg_pool2d_backward mkldnn_linear
mkldnn_linear_backward mkldnn_linear_backward_input mkldnn_linear_backward_weights mkldnn_max_pool2d
mkldnn_max_pool2d_backward mkldnn_max_pool3d mkldnn_max_pool3d_backward mkldnn_reorder_conv2d_weight
mkldnn_reorder_conv3d_weight modf mps_convolution_backward mps_convolution_transpose_backward native_norm
nested_to_padded_tensor numel oct ord output_nr owner owner_name partition percentFormat pin_memory pop popitem promote_types
q_per_channel_axis q_per_channel_scales q_per_channel_zero_points q_scale q_zero_point qscheme quantize_per_channel
quantize_per_tensor quantize_per_tensor_dynamic quantized_batch_norm quantized_gru quantized_gru_cell quantized_lstm
quantized_lstm_cell quantized_max_pool1d quantized_max_pool2d quantized_max_pool3d quantized_rnn_relu_cell
quantized_rnn_tanh_cell radians record_stream remove replace requires_grad_ resize resize_as resize_as_sparse
resize_as_sparse_ result_type retain_grad retains_grad reverse rfind rindex rjust row_indices row_indices_copy rpartition
rsplit rstrip save seed set set_data set_grad_enabled setdefault size slice_inverse slow_conv3d slow_conv3d_forward
slow_conv_dilated2d slow_conv_dilated3d slow_conv_transpose2d slow_conv_transpose3d smm sorted sparse_bsc_tensor
sparse_bsr_tensor sparse_compressed_tensor sparse_coo_tensor sparse_csc_tensor sparse_csr_tensor sparse_dim sparse_mask
sparse_resize sparse_resize_ sparse_resize_and_clear sparse_resize_and_clear_ sparse_sampled_addmm splitlines sspaddmm
startswith storage_offset str stride strip swapcase sym_constrain_range sym_constrain_range_for_size sym_is_contiguous
sym_numel sym_size sym_storage_offset sym_stride tensor thnn_conv2d title to_dense to_dense_backward to_here to_mkldnn
to_mkldnn_backward to_padded_tensor to_sparse to_sparse_bsc to_sparse_bsr to_sparse_csc to_sparse_csr unflatten_dense_tensors
update upper values values_copy wait warn zero zfill
""",
    "torch.optim": """
SparseAdam
""",
    "torch.overrides": """
enable_reentrant_dispatch redispatch_function
""",
    "torch.random": """
thread_safe_generator
""",
    "torch.testing": """
FileCheck assert_allclose
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
