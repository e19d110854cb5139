import type { AdvanceAnswer, AdvanceAppGrants, BoundAppGrants, RuntimeSecurity } from '@connector/catalog/contract/runtime-security';
import { Digest } from '@connector/kernel/digest';
import { OperationId } from '@connector/kernel/ids';
import { noOtherInputs, projectionOf, securityBinding } from '@connector/security/contract/projection';

/**
 * How one call of `advance` goes. `fail`: nothing is done and nothing answered; `lose-answer`: done, not answered; `twice`: the command arrives
 * twice, the second answer is given; `lie`: nothing is done, and a binding of another command is given; a promise: not before it is kept.
 */
export type Fate = 'honest' | 'fail' | 'lose-answer' | 'twice' | 'lie' | Promise<unknown>;

export interface FakeRuntimeSecurity extends RuntimeSecurity {
  /** Every command that arrived, as it arrived. */
  readonly seen: readonly AdvanceAppGrants[];
  /** What an operator does at Runtime security: an epoch that no command of Catalog made. */
  moveOtherInputs(organization: string): void;
}

interface Standing {
  epoch: bigint;
  otherInputsDigest: Digest;
  projectionDigest: Digest | null;
}

/** Runtime security in memory. The calls of `advance` meet the fates of `plan` in order, and honesty once it is used up. */
export function fakeRuntimeSecurity({ plan = [] }: { readonly plan?: readonly Fate[] } = {}): FakeRuntimeSecurity {
  const fates = [...plan];
  const seen: AdvanceAppGrants[] = [];
  const heads = new Map<string, Standing>();
  const commands = new Map<OperationId, { readonly payload: string; readonly answer: AdvanceAnswer }>();
  const headOf = (organization: string): Standing =>
    heads.get(organization) ?? { epoch: 0n, otherInputsDigest: noOtherInputs(organization).digest, projectionDigest: null };

  const decide = (command: AdvanceAppGrants): AdvanceAnswer => {
    seen.push(command);
    const payload = payloadOf(command);
    const known = commands.get(command.commandId);
    if (known !== undefined) return known.payload === payload ? known.answer : { kind: 'refused', code: 'payload-conflict' };
    const head = headOf(command.organization);
    if (head.epoch !== command.expectedPriorEpoch) return { kind: 'refused', code: 'stale-epoch', currentEpoch: head.epoch };
    const { otherInputsDigest } = head;
    const { digest: projectionDigest } = projectionOf(command.appGrants, otherInputsDigest);
    if (projectionDigest !== command.expectedProjectionDigest)
      return { kind: 'refused', code: 'projection-differs', projectionDigest, otherInputsDigest };
    const epoch = head.epoch + 1n;
    heads.set(command.organization, { epoch, otherInputsDigest, projectionDigest });
    const answer = boundTo(command, epoch);
    commands.set(command.commandId, { payload, answer });
    return answer;
  };

  return {
    seen,
    readHead: (organization) => {
      const { epoch, ...digests } = headOf(organization);
      return Promise.resolve({ kind: 'head', securityEpoch: epoch, ...digests });
    },
    advance: async (command) => {
      const fate = fates.shift() ?? 'honest';
      if (fate === 'fail') return { kind: 'unavailable' };
      if (fate === 'lie') return boundTo({ ...command, commandId: OperationId.mint() }, command.expectedPriorEpoch + 1n);
      if (typeof fate !== 'string') await fate;
      if (fate === 'twice') decide(command);
      const answer = decide(command);
      return fate === 'lose-answer' ? { kind: 'unavailable' } : answer;
    },
    moveOtherInputs: (organization) => {
      const head = headOf(organization);
      const otherInputsDigest = Digest.sha256(Buffer.from(`${head.otherInputsDigest} moved`));
      heads.set(organization, { ...head, epoch: head.epoch + 1n, otherInputsDigest });
    },
  };
}

const payloadOf = ({ organization, expectedPriorEpoch, appGrants, expectedProjectionDigest }: AdvanceAppGrants): string =>
  [organization, expectedPriorEpoch, appGrants.toString('hex'), expectedProjectionDigest].join(' ');

function boundTo(command: AdvanceAppGrants, securityEpoch: bigint): { readonly kind: 'bound' } & BoundAppGrants {
  const projectionDigest = command.expectedProjectionDigest;
  const { bytes, digest } = securityBinding.build({
    schema_version: 'nexuscrm.runtime-security-binding/v1',
    command_id: command.commandId,
    organization_id: command.organization,
    security_epoch: securityEpoch.toString(),
    projection_digest: projectionDigest,
  });
  return { kind: 'bound', securityEpoch, projectionDigest, bindingBytes: bytes, bindingDigest: digest };
}
