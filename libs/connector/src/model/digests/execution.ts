import type { BindingKind } from '@connector/kernel/document-binding';
import type { Digest } from '@connector/kernel/digest';
import type { Digested } from '@connector/kernel/digest-profile';
import { CommandId, ExecutionId } from '@connector/kernel/ids';
import { type Identified, identified, profiled } from './profiled';

/** Generation 0 is the first; a retry keeps it, a change of input or definition makes the next (con:IDN-08). */
export function executionDigest(projectionId: Uint8Array, generation: number): Identified<'ExecutionId'> {
  return identified(ExecutionId, profiled('execution').id('projection_id', projectionId).int('generation', generation).build());
}

/** `input` is the JCS of the mapped input. */
export function executionInputDigest(input: Uint8Array): Digested {
  return profiled('execution-input').bytes('input', input).build();
}

export interface ExecutionRefParts {
  readonly executionId: Uint8Array;
  readonly packGenerationStorageId: string;
  readonly epochDigest: Digest;
  readonly kind: BindingKind;
  readonly businessKey: string;
  readonly definitionVersion: string;
  readonly inputDigest: Digest;
  readonly replayMode: string | null;
}

/** Everything that Runtime's answer depends on (con:IDN-09). */
export function executionRefDigest(ref: ExecutionRefParts): Digested {
  return profiled('execution-ref')
    .id('execution_id', ref.executionId)
    .text('pack_generation_storage_id', ref.packGenerationStorageId)
    .digest('epoch_digest', ref.epochDigest)
    .text('kind', ref.kind)
    .text('business_key', ref.businessKey)
    .text('definition_version', ref.definitionVersion)
    .digest('input_digest', ref.inputDigest)
    .optText('replay_mode', ref.replayMode)
    .build();
}

export function runtimeCommandDigest(executionRef: Digest): Identified<'CommandId'> {
  return identified(CommandId, profiled('runtime-command').digest('execution_ref_digest', executionRef).build());
}
