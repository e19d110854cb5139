import { securityBinding } from '@connector/security/contract/projection';
import { doubles, pairs, text, type Commit } from './invariant';

const epochOf = (row: { readonly organization_id: string; readonly security_epoch: bigint }): string =>
  `${row.organization_id} ${row.security_epoch}`;

/** The head, the projection that stands at its epoch, its binding and the command that made it say the same. */
export function boundEpochs({ before, after }: Commit): readonly string[] {
  const projections = new Map(after.securityProjections.map((row) => [epochOf(row), row]));
  const commands = after.securityCommands.map(epochOf);
  const heads = after.securityHeads.filter(
    (head) => head.security_epoch > 0n && projections.get(epochOf(head))?.projection_digest !== head.projection_digest,
  );
  const last = new Map(after.securityHeads.map((head) => [head.organization_id, head.security_epoch]));
  const ahead = after.securityProjections.filter((row) => row.security_epoch > (last.get(row.organization_id) ?? 0n));
  const made = new Map(after.securityCommands.map((row) => [epochOf(row), row.command_id]));
  const misbound = after.securityProjections.filter((row) => {
    const { value } = securityBinding.parse(Buffer.from(row.binding));
    return `${value.organization_id} ${value.security_epoch}` !== epochOf(row) || made.get(epochOf(row)) !== value.command_id;
  });
  const moved = pairs(before.securityProjections, after.securityProjections, epochOf).filter(([old, now]) => text(old) !== text(now));
  return [
    ...heads.map((head) => `the head ${text(head)} names no projection of its epoch`),
    ...ahead.map((row) => `a projection stands above the head: ${epochOf(row)}`),
    ...doubles(commands).map((epoch) => `two commands were bound to one epoch: ${epoch}`),
    ...misbound.map((row) => `the binding of ${epochOf(row)} is of something else`),
    ...moved.map(([old]) => `a projection changed: ${epochOf(old)}`),
  ];
}

/** Nobody takes an epoch back. */
export function epochsRise({ before, after }: Commit): readonly string[] {
  return pairs(before.securityHeads, after.securityHeads, ({ organization_id }) => organization_id)
    .filter(
      ([old, now]) => now.security_epoch < old.security_epoch || (now.security_epoch === old.security_epoch && text(old) !== text(now)),
    )
    .map(([old, now]) => `a security head went from ${text(old)} to ${text(now)}`);
}
