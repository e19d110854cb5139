import { Type } from 'class-transformer';
import { ArrayMaxSize, ArrayMinSize, IsArray, IsObject, Length, Matches, ValidateNested } from 'class-validator';
import type { Digest } from '@connector/kernel/digest';
import { PINNED_MAX } from '@connector/packs/model/pins';
import { U64_TEXT } from '@connector/platform/host/body';
import { DIGEST, PinnedGenerationBody } from './bodies';

/** Who holds: an attempt, in the hand of one run. */
class HolderBody {
  @Length(1, 64) attempt_id!: string;
  @Matches(U64_TEXT) holder_fence!: string;
  @Length(1, 64) organization!: string;
}

class LineageBody {
  @Length(1, 64) lineage_id!: string;
  @Matches(U64_TEXT) catalog_revision!: string;
  @Matches(U64_TEXT) activation_epoch!: string;
}

export class AcquireBarrierBody extends HolderBody {
  @Length(1, 64) installation!: string;
  @Length(1, 128) workload!: string;
  @IsObject() @ValidateNested() @Type(() => LineageBody) expected_lineage!: LineageBody;
  @Matches(DIGEST) expected_view_digest!: Digest;
}

export class AcquirePackBarrierBody extends HolderBody {
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(PINNED_MAX)
  @ValidateNested({ each: true })
  @Type(() => PinnedGenerationBody)
  generations!: PinnedGenerationBody[];
}

export class ReleasePackBarrierBody {
  @Length(1, 64) organization!: string;
  @Matches(U64_TEXT) barrier_fence!: string;
  @Matches(U64_TEXT) holder_fence!: string;
  /** What became of the attempt, for people. */
  @Length(1, 512) outcome!: string;
}

export class ReleaseBarrierBody extends ReleasePackBarrierBody {
  @Length(1, 64) installation!: string;
}
