// The library from which Rust's programs take random numbers on Windows. Wine has it from version 9.
#include <windows.h>
#include <ntsecapi.h>

__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE data, SIZE_T length) {
  while (length > 0) {
    ULONG part = length > 0x10000000 ? 0x10000000 : (ULONG)length;
    if (!RtlGenRandom(data, part)) return FALSE;
    data += part;
    length -= part;
  }
  return TRUE;
}
