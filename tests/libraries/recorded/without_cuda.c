/* Stands in for the CUDA half of torch, so that extensions built with CUDA load beside a torch for the CPU:

   for part in c10_cuda torch_cuda; do
       cc -shared -fPIC -Wl,-soname,lib$part.so -o FOLDER/lib$part.so tests/libraries/recorded/without_cuda.c
   done
   export LD_LIBRARY_PATH=FOLDER

   Each function says that it failed; nothing that runs on the CPU calls them. */

int aoti_torch_get_current_cuda_stream(void) { return 1; }
int torch_c10_cuda_check_msg(void) { return 1; }
void torch_c10_cuda_free_error_msg(void) {}
int torch_cuda_stream_synchronize(void) { return 1; }
int torch_get_cuda_stream_from_pool(void) { return 1; }
int torch_set_current_cuda_stream(void) { return 1; }
