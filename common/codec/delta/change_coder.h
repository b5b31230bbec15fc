// Codes which bodies of a frame differ from the baseline: those that came, left or moved.
#pragma once

#include <span>

#include "common/codec/delta/entropy/bit_coder.h"
#include "common/codec/delta/entropy/range_coder.h"
#include "common/codec/delta/frame_task.h"

namespace orrery::codec {

// Codes the bodies that came or left, the references, and which of the other bodies changed. Fills
// the scratch memory of the task: `changed` has the bodies in the order in which their motions are
// coded. At level cheap this is the order of the slots, without references. Returns false if the
// decoder read something invalid. REQUIRES: in an encoder, coded.references is set.
bool code_changes(const FrameTask& task, RangeEncoder& coder);
bool code_changes(const FrameTask& task, RangeDecoder& coder);
bool code_changes(const FrameTask& task, BitWriter& coder);
bool code_changes(const FrameTask& task, BitReader& coder);

// Most references of a frame.
inline constexpr std::uint32_t kReferencesMax = 64;

}  // namespace orrery::codec
