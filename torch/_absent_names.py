"""Public names of PyTorch that are not here yet; written by `python -m tools.absent_names --write`.

MODULES lists whole modules; TABLE has names by the module that they belong to. Those of Tensor are in `_absent_methods`.
"""

MODULES = """
torch._decomp torch._dynamo torch._export torch._functorch torch._higher_order_ops torch._inductor torch._numpy torch._prims
torch._refs torch._subclasses torch.accelerator.graphs torch.accelerator.memory torch.ao torch.autograd.profiler_legacy
torch.backends.cusparselt torch.backends.kleidiai torch.backends.mha torch.backends.miopen torch.backends.nnpack
torch.backends.quantized torch.backends.xeon torch.backends.xnnpack torch.classes torch.compiler.config torch.contrib
torch.cuda.comm torch.cuda.gds torch.cuda.graphs torch.cuda.green_contexts torch.cuda.jiterator torch.cuda.memory
torch.cuda.nccl torch.cuda.nvtx torch.cuda.profiler torch.cuda.random torch.cuda.sparse torch.cuda.streams torch.cuda.tunable
torch.distributed.algorithms torch.distributed.argparse_util torch.distributed.autograd torch.distributed.checkpoint
torch.distributed.collective_utils torch.distributed.constants torch.distributed.debug torch.distributed.device_mesh
torch.distributed.distributed_c10d torch.distributed.elastic torch.distributed.flight_recorder torch.distributed.fsdp
torch.distributed.launch torch.distributed.launcher torch.distributed.nn torch.distributed.optim torch.distributed.pipelining
torch.distributed.remote_device torch.distributed.rendezvous torch.distributed.rpc torch.distributed.run
torch.distributed.tensor torch.distributed.utils torch.export torch.func torch.futures torch.fx torch.hub
torch.jit.annotations torch.jit.frontend torch.jit.mobile torch.jit.quantized torch.jit.supported_ops
torch.jit.unsupported_tensor_ops torch.masked torch.monitor torch.mps torch.mtia torch.multiprocessing.pool
torch.multiprocessing.queue torch.multiprocessing.spawn torch.nativert torch.nested torch.nn.attention torch.nn.grad
torch.nn.intrinsic torch.nn.modules.lazy torch.nn.modules.linear_cross_entropy torch.nn.modules.utils torch.nn.parallel
torch.nn.qat torch.nn.quantizable torch.nn.quantized torch.nn.utils.fusion torch.nn.utils.init torch.nn.utils.memory_format
torch.nn.utils.parametrizations torch.nn.utils.parametrize torch.nn.utils.prune torch.nn.utils.spectral_norm
torch.nn.utils.stateless torch.nn.utils.weight_norm torch.numa torch.onnx torch.optim.sparse_adam torch.optim.swa_utils
torch.package torch.profiler.python_tracer torch.quantization torch.quasirandom torch.sparse torch.utils._python_dispatch
torch.utils._pytree torch.utils.backcompat torch.utils.bundled_inputs torch.utils.cpp_backtrace
torch.utils.data.backward_compatibility torch.utils.data.datapipes torch.utils.data.graph torch.utils.data.graph_settings
torch.utils.deterministic torch.utils.file_baton torch.utils.flop_counter torch.utils.hipify torch.utils.jit
torch.utils.mkldnn torch.utils.mobile_optimizer torch.utils.model_dump torch.utils.model_zoo torch.utils.module_tracker
torch.utils.serialization torch.utils.show_pickle torch.utils.tensorboard torch.utils.throughput_benchmark torch.utils.viz
torch.utils.weak torch.xpu
"""

TABLE = {
    "torch": """
AVG AcceleratorError AggregationType AliasDb AnyType Argument ArgumentSpec AwaitType BenchmarkConfig BenchmarkExecutionStats
Block BoolType BufferDict CallStack Capsule ClassType Code CompilationUnit CompleteArgumentSpec ComplexType ConcreteModuleType
ConcreteModuleTypeBuilder DeepCopyMemoTable DeserializationStorageContext DeviceObjType DictType EnumType ErrorReport
ExcludeDispatchKeyGuard ExecutionPlan FatalError FileCheck FloatType FunctionSchema Future FutureType Gradient Graph
GraphExecutorState IODescriptor InferredType IntType InterfaceType JITException ListType LiteScriptModule LockingLogger
ModuleDict Node NoneType NoopLogger NumberType OperatorInfo OptionalType ParameterDict PyObjectType PyTorchFileReader
PyTorchFileWriter QInt32Storage QInt8Storage QUInt2x4Storage QUInt4x2Storage QUInt8Storage RRefType SUM ScriptClass
ScriptClassFunction ScriptDict ScriptDictIterator ScriptDictKeyIterator ScriptFunction ScriptList ScriptListIterator
ScriptMethod ScriptModule ScriptModuleSerializer ScriptObject ScriptObjectProperty SerializationStorageContext StaticModule
Storage StreamObjType StringType SymBool SymBoolType SymFloat SymInt SymIntType Tag TensorType ThroughputBenchmark
TracingState TupleType Type UnionType Use Value as_strided_scatter asarray batch_norm_backward_elemt
batch_norm_backward_reduce batch_norm_elemt batch_norm_gather_stats batch_norm_gather_stats_with_counts batch_norm_stats
batch_norm_update_stats bit bits16 bits1x8 bits2x4 bits4x2 bits8 ccol_indices_copy choose_qparams_optimized col_indices_copy
cond crow_indices_copy cudnn_affine_grid_generator cudnn_batch_norm cudnn_convolution cudnn_convolution_add_relu
cudnn_convolution_relu cudnn_convolution_transpose cudnn_grid_sampler cudnn_is_acceptable dequantize dsmm empty_quantized
fake_quantize_per_channel_affine fake_quantize_per_tensor_affine fbgemm_linear_fp16_weight
fbgemm_linear_fp16_weight_fp32_activation fbgemm_linear_int8_weight fbgemm_linear_int8_weight_fp32_activation
fbgemm_linear_quantize_weight fbgemm_pack_gemm_matrix_fp16 fbgemm_pack_quantized_matrix fill float4_e2m1fn_x2 fork from_file
fused_moving_avg_obs_fake_quant get_device has_mkl has_spectral hash_tensor hsmm hspmm import_ir_module
import_ir_module_from_buffer indices_copy init_num_threads int1 int2 int3 int4 int5 int6 int7 int_repr is_distributed
is_same_size is_vulkan_available merge_type_from_type_comment miopen_batch_norm miopen_convolution miopen_convolution_add_relu
miopen_convolution_relu miopen_convolution_transpose miopen_ctc_loss miopen_depthwise_convolution miopen_rnn
mkldnn_adaptive_avg_pool2d mkldnn_linear_backward_weights mkldnn_max_pool2d mkldnn_max_pool3d native_norm parse_ir
parse_schema parse_type_comment per_channel_affine per_channel_affine_float_qparams per_channel_symmetric per_tensor_affine
per_tensor_symmetric q_per_channel_axis q_per_channel_scales q_per_channel_zero_points q_scale q_zero_point qint32 qint8
qscheme quantize_per_channel quantize_per_tensor quantize_per_tensor_dynamic quantized_batch_norm quantized_gru
quantized_gru_cell quantized_lstm quantized_lstm_cell quantized_max_pool1d quantized_max_pool2d quantized_max_pool3d
quantized_rnn_relu_cell quantized_rnn_tanh_cell quint2x4 quint4x2 quint8 resize_as_sparse_ row_indices_copy saddmm
slice_inverse smm sparse_bsc_tensor sparse_bsr_tensor sparse_compressed_tensor sparse_coo_tensor sparse_csc_tensor
sparse_csr_tensor spmm sspaddmm sym_constrain_range sym_constrain_range_for_size sym_float sym_fresh_size sym_int sym_ite
sym_max sym_min sym_not sym_sqrt sym_sum thread_safe_generator to_dlpack uint1 uint2 uint3 uint4 uint5 uint6 uint7
unify_type_list values_copy vmap wait while_loop
""",
    "torch.accelerator": """
Graph
""",
    "torch.autograd": """
NestedIOFunction enforce_grad_layout_policy
""",
    "torch.autograd.graph": """
allow_mutation_on_saved_tensors region_activation_memory_budget register_multi_grad_hook set_override_stale_capture_stream
set_warn_on_accumulate_grad_stream_mismatch
""",
    "torch.backends.cuda": """
SDPAParams allow_fp16_bf16_reduction_math_sdp blas_workspace_size can_use_cudnn_attention can_use_efficient_attention
can_use_flash_attention cuBLASModule cuFFTPlanCache cuFFTPlanCacheAttrContextProp cuFFTPlanCacheManager cublas_workspace_size
cublaslt_workspace_size cudnn_sdp_enabled cufft_plan_cache enable_cudnn_sdp enable_flash_sdp enable_math_sdp
enable_mem_efficient_sdp fp16_bf16_reduction_math_sdp_allowed is_ck_sdpa_available is_flash_attention_available
preferred_blas_library preferred_linalg_library preferred_rocm_fa_library sdp_kernel
""",
    "torch.backends.mkl": """
verbose
""",
    "torch.backends.mps": """
is_macos13_or_newer is_macos_or_newer
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
BFloat16Storage BFloat16Tensor BoolStorage BoolTensor ByteStorage ByteTensor CUDAGraph CUDAPluggableAllocator CharStorage
CharTensor ComplexDoubleStorage ComplexFloatStorage CudaError DeferredCudaCallError DoubleStorage DoubleTensor Event
ExternalStream FloatStorage FloatTensor GreenContext HalfStorage HalfTensor IntStorage IntTensor LongStorage LongTensor
MemPool ShortStorage ShortTensor Stream StreamContext caching_allocator_alloc caching_allocator_delete
caching_allocator_disabled caching_allocator_enable can_device_access_peer change_current_allocator check_error clock_rate
cudaStatus cudart current_blas_handle current_solver_handle default_generators default_stream device device_memory_used
device_of get_allocator_backend get_arch_list get_gencode_flags get_per_process_memory_fraction get_rng_state_all
get_stream_from_external get_sync_debug_mode graph graph_pool_handle has_half has_magma host_memory_stats
host_memory_stats_as_nested_dict initial_seed ipc_collect is_current_stream_capturing is_tf32_supported list_gpu_processes
make_graphed_callables max_memory_cached max_memory_reserved memory_cached memory_reserved memory_snapshot memory_stats
memory_stats_as_nested_dict memory_summary memory_usage power_draw reset_accumulated_host_memory_stats
reset_accumulated_memory_stats reset_max_memory_allocated reset_max_memory_cached reset_peak_host_memory_stats seed seed_all
set_per_process_memory_fraction set_rng_state_all set_stream set_sync_debug_mode stream temperature use_mem_pool utilization
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
    "torch.jit": """
CompilationUnit Error Future ScriptFunction ScriptModule enable_onednn_fusion export_opnames fork freeze interface load
onednn_fusion_enabled optimize_for_inference save script set_fusion_strategy strict_fusion trace trace_module wait
""",
    "torch.library": """
fallthrough_kernel get_ctx get_kernel register_autocast register_torch_dispatch register_vmap triton_op wrap_triton
""",
    "torch.nn": """
Container DataParallel LinearCrossEntropyLoss LinearCrossEntropyOptions
""",
    "torch.nn.functional": """
BroadcastingList1 BroadcastingList2 BroadcastingList3 GRID_SAMPLE_INTERPOLATION_MODES GRID_SAMPLE_PADDING_MODES ScalingType
SwizzleType Tensor assert_int_or_pair boolean_dispatch grouped_mm linear_cross_entropy scaled_grouped_mm scaled_mm
""",
    "torch.nn.utils": """
convert_conv2d_weight_memory_format convert_conv3d_weight_memory_format fuse_conv_bn_eval fuse_conv_bn_weights
fuse_linear_bn_eval fuse_linear_bn_weights remove_spectral_norm remove_weight_norm spectral_norm stateless weight_norm
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
Adafactor Muon SparseAdam swap_in_optimizer_params_and_state
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
    "torch.utils": """
swap_tensors
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
