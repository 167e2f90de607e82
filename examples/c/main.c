/* Kernels in a C program, as one object: no libhologram, no Python, no compiler beside it.
 *
 *   hologram compile blur.py -o blur.o --level v3      also writes blur.h
 *   cc -std=c99 -I.../include main.c blur.o
 *
 * Ends with 0 if every launch did what it should. */
#include <inttypes.h>
#include <stdio.h>

#include "blur.h"

enum { kPoints = 1000, kPicked = 4 };

static int failures = 0;

static void Expect(int condition, const char* what) {
  if (condition) return;
  printf("FAILED: %s\n", what);
  ++failures;
}

int main(void) {
  static float signal[kPoints];
  static float smooth[kPoints];
  if (!blur_supported()) {
    printf("this processor cannot run the object; compile it with --level v2\n");
    return 0;
  }
  for (int i = 0; i < kPoints; ++i) signal[i] = (float)(i % 4);

  /* Types and directions are those of the kernel: a double* would not compile. */
  int32_t outcome = blur_launch(signal, kPoints, smooth, kPoints, kPoints, NULL);
  Expect(outcome == HOLOGRAM_LAUNCH_DONE, "blur runs");
  Expect(smooth[1] == 1.0f && smooth[3] == 2.0f, "blur smooths");
  printf("smooth: %g %g %g %g\n", smooth[1], smooth[2], smooth[3], smooth[4]);

  /* What is not proved does not run: an array that is too short, memory that overlaps. */
  outcome = blur_launch(signal, kPoints - 1, smooth, kPoints, kPoints, NULL);
  Expect(outcome == HOLOGRAM_LAUNCH_UNPROVED, "a short input is refused");
  outcome = blur_launch(smooth, kPoints - 1, smooth + 1, kPoints - 1, kPoints - 1, NULL);
  Expect(outcome == HOLOGRAM_LAUNCH_UNPROVED, "overlapping arrays are refused");
  outcome = blur_launch(signal, kPoints, smooth, 10, kPoints, NULL);
  Expect(outcome == HOLOGRAM_LAUNCH_UNPROVED, "an output that is too short is refused");
  outcome = blur_launch(signal, 0, smooth, 0, 0, NULL);
  Expect(outcome == HOLOGRAM_LAUNCH_DONE, "nothing to do is done");

  /* An index that is data is checked where it is used; the fault has lane, index and line. */
  const uint32_t index[kPicked] = {3, 999, 1000, 1001};
  float picked[kPicked] = {0, 0, 0, 0};
  hologram_launch_state state;
  outcome = pick_launch(signal, kPoints, index, kPicked, picked, kPicked, kPicked, &state);
  Expect(outcome == HOLOGRAM_LAUNCH_FAULTED, "a wrong index is a fault");
  Expect(state.fault_code == HOLOGRAM_FAULT_OUT_OF_BOUNDS, "its code");
  Expect(state.fault_lane == 2 && state.fault_index == 1000, "its lane and index");
  printf("blur.py:%" PRIu32 ": lane %" PRIu64 " reads element %" PRId64 " of %d\n",
         pick_line(state.fault_pc), state.fault_lane, state.fault_index, (int)kPoints);
  Expect(pick_line(state.fault_pc) == 15, "its line");

  /* The grid by hand: blocks, and lanes of a block. */
  const hologram_launch_shape shape = {{1, 1, 1}, {2, 1, 1}};
  outcome = pick_launch_grid(signal, kPoints, index, kPicked, picked, kPicked, 2, &shape, NULL);
  Expect(outcome == HOLOGRAM_LAUNCH_DONE, "a launch of two lanes runs");
  Expect(picked[0] == 3.0f && picked[1] == 3.0f, "and picks");
  return failures == 0 ? 0 : 1;
}
