// Codes how the bodies that changed moved and turned, as differences to predictions.
#pragma once

#include "common/codec/delta/entropy/bit_coder.h"
#include "common/codec/delta/entropy/range_coder.h"
#include "common/codec/delta/frame_task.h"

namespace orrery::codec {

// Codes the positions and orientations of the changed bodies of the scratch memory, in its order.
// Returns false if the decoder read a body outside the grid.
bool code_bodies(const FrameTask& task, RangeEncoder& coder);
bool code_bodies(const FrameTask& task, RangeDecoder& coder);

// The same at level cheap.
bool code_bodies(const FrameTask& task, BitWriter& coder);
bool code_bodies(const FrameTask& task, BitReader& coder);

}  // namespace orrery::codec
