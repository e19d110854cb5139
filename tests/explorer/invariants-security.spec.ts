import { Digest } from '@connector/kernel/digest';
import { OperationId } from '@connector/kernel/ids';
import { securityBinding } from '@connector/security/contract/projection';
import { broken, type Planted } from './planted';

const ORG = { organization_id: 'org' };
const digest = (of: string) => Digest.sha256(Buffer.from(of));
const COMMANDS = [OperationId.mint(), OperationId.mint()] as const;
const head = (security_epoch: bigint, of: string) => ({
  ...ORG,
  security_epoch,
  projection_digest: digest(of),
  other_inputs_digest: digest('o'),
});
const command = (security_epoch: bigint, command_id = COMMANDS[Number(security_epoch) - 1] as OperationId) => ({
  ...ORG,
  command_id,
  security_epoch,
});
const projection = (security_epoch: bigint, of: string, bound = security_epoch) => ({
  ...ORG,
  security_epoch,
  projection_digest: digest(of),
  binding: securityBinding
    .build({
      schema_version: 'nexuscrm.runtime-security-binding/v1',
      command_id: COMMANDS[Number(security_epoch) - 1] as OperationId,
      ...ORG,
      security_epoch: bound.toString(),
      projection_digest: digest(of),
    })
    .bytes.toString(),
});
const ONE = { securityHeads: [head(1n, 'a')], securityProjections: [projection(1n, 'a')], securityCommands: [command(1n)] };
const TWO = {
  securityHeads: [head(2n, 'b')],
  securityProjections: [projection(1n, 'a'), projection(2n, 'b')],
  securityCommands: [command(1n), command(2n)],
};

describe('invariants of Runtime security on planted histories', () => {
  it.each<[string, Planted, Planted]>([
    ['the first epoch', {}, ONE],
    ['a further one', ONE, TWO],
  ])('none: %s as the doors make it', (_what, before, after) => {
    expect(broken(before, after)).toEqual([]);
  });

  it.each<[string, string, Planted, Planted]>([
    ['SEC-06', 'a head that names another projection than stands at its epoch', ONE, { ...TWO, securityHeads: [head(2n, 'a')] }],
    ['SEC-06', 'a head whose projection is not there', ONE, { ...ONE, securityHeads: [head(2n, 'b')] }],
    ['SEC-06', 'a projection above the head', ONE, { ...TWO, securityHeads: ONE.securityHeads }],
    ['SEC-06', 'one epoch for two commands', ONE, { ...ONE, securityCommands: [command(1n), command(1n, COMMANDS[1])] }],
    ['SEC-06', 'a projection that no command made', ONE, { ...TWO, securityCommands: ONE.securityCommands }],
    ['SEC-06', 'a binding of another epoch', ONE, { ...TWO, securityProjections: [projection(1n, 'a'), projection(2n, 'b', 1n)] }],
    ['SEC-06', 'a projection that changed', ONE, { ...ONE, securityHeads: [head(1n, 'b')], securityProjections: [projection(1n, 'b')] }],
    ['SEC-03', 'an epoch that goes back', TWO, { ...TWO, securityHeads: [head(1n, 'a')] }],
    ['SEC-03', 'another projection under the same epoch', ONE, { ...ONE, securityHeads: [head(1n, 'b')] }],
  ])('%s: %s', (id, _what, before, after) => {
    expect(broken(before, after)).toContain(id);
  });
});
