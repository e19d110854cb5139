import { Digest } from '@connector/kernel/digest';
import { OperationId } from '@connector/kernel/ids';
import { advanceOf, grantsOf } from '@connector/testing/fixtures/security';
import {
  appGrants,
  isBoundTo,
  noAppGrants,
  noOtherInputs,
  otherInputs,
  projectionOf,
  securityBinding,
  securityProjection,
} from './projection';

const ORG = 'org-1';
const GRANT = { workload_id: 'wl.b', capabilities: ['x.b.v1', 'x.a.v1'] };
const INSTALLATION = { app_installation_id: 'inst-2', app_release_digest: Digest.of(Buffer.alloc(32, 1)), grants: [GRANT] };
const GRANTS = { schema_version: 'nexuscrm.runtime-app-grants/v1' as const, organization_id: ORG, installations: [INSTALLATION] };
const OTHERS = { schema_version: 'nexuscrm.runtime-security-other-inputs/v1' as const, organization_id: ORG, platform_grants: [GRANT] };

describe('documents of Runtime security', () => {
  it('built: their bytes and digests are those that another program computed', () => {
    const projection = projectionOf(appGrants.build(GRANTS).bytes, otherInputs.build(OTHERS).digest);
    const binding = securityBinding.build({
      schema_version: 'nexuscrm.runtime-security-binding/v1',
      command_id: OperationId.of(Buffer.alloc(16)),
      organization_id: ORG,
      security_epoch: '18446744073709551615',
      projection_digest: projection.digest,
    });
    expect(
      [appGrants.build(GRANTS), otherInputs.build(OTHERS), noOtherInputs(ORG), projection, binding].map(({ digest }) => digest),
    ).toEqual([
      'sha256:13f15edef0cda7353cc4ad730c4d87cc5232ea2ae4f411a5a48f3b7af7705297',
      'sha256:0069fd1f6236c59bcf0afc7980e001d15ac8d08e9e34fecfd340bfabe1108fff',
      'sha256:3e36124089e869d7d041ce1e62148bfc9c2319784789f5f1109f0acc91feaaed',
      'sha256:43c00a7c5a463a259949f17c773b804019a187338185fd33abf04801f9cf5b84',
      'sha256:72510f4faa93fd76e3610920d1bbeaa55e4bfbeb6d0efd1b2c342efa100c0d31',
    ]);
  });

  it('built: sets are put in order, so that the same grants are the same bytes', () => {
    const other = { ...INSTALLATION, app_installation_id: 'inst-1', grants: [{ ...GRANT, workload_id: 'wl.a' }, GRANT] };
    const turned = { ...other, grants: [...other.grants].reverse() };
    const [one, two] = [
      appGrants.build({ ...GRANTS, installations: [INSTALLATION, other] }),
      appGrants.build({ ...GRANTS, installations: [turned, INSTALLATION] }),
    ];
    expect(one).toEqual(two);
    expect(appGrants.parse(one.bytes).value.installations.map(({ app_installation_id }) => app_installation_id)).toEqual([
      'inst-1',
      'inst-2',
    ]);
  });

  it.each<[string, () => unknown]>([
    ['an installation twice', () => appGrants.build({ ...GRANTS, installations: [INSTALLATION, INSTALLATION] })],
    [
      'a workload twice in one installation',
      () => appGrants.build({ ...GRANTS, installations: [{ ...INSTALLATION, grants: [GRANT, GRANT] }] }),
    ],
    ['a capability twice', () => otherInputs.build({ ...OTHERS, platform_grants: [{ ...GRANT, capabilities: ['x', 'x'] }] })],
    ['a member more', () => appGrants.parse(Buffer.from(String(noAppGrants(ORG).bytes).replace('{"', '{"a":1,"')))],
    [
      'a projection whose App grants are of another organization',
      () =>
        securityProjection.build({
          schema_version: 'nexuscrm.runtime-security-projection/v1',
          organization_id: 'org-2',
          other_inputs_digest: noOtherInputs('org-2').digest,
          app_grants: GRANTS,
        }),
    ],
  ])('refused: %s', (_what, build) => {
    expect(build).toThrow(expect.objectContaining({ name: 'InputFault' }));
  });

  it('different: a projection says which other inputs it stands on, and whose it is', () => {
    const digests = [
      projectionOf(noAppGrants(ORG).bytes, noOtherInputs(ORG).digest),
      projectionOf(noAppGrants(ORG).bytes, otherInputs.build(OTHERS).digest),
      projectionOf(noAppGrants('org-2').bytes, noOtherInputs(ORG).digest),
    ].map(({ digest }) => digest);
    expect(new Set(digests).size).toBe(3);
  });
});

describe('isBoundTo', () => {
  const command = advanceOf(ORG, grantsOf(ORG, {}), 4n);
  const bound = (over: { readonly epoch?: bigint; readonly id?: OperationId } = {}) => {
    const { epoch = 5n, id = command.commandId } = over;
    const { bytes, digest } = securityBinding.build({
      schema_version: 'nexuscrm.runtime-security-binding/v1',
      command_id: id,
      organization_id: ORG,
      security_epoch: epoch.toString(),
      projection_digest: command.expectedProjectionDigest,
    });
    return { securityEpoch: epoch, projectionDigest: command.expectedProjectionDigest, bindingBytes: bytes, bindingDigest: digest };
  };

  it('bound: to the next epoch, or a later one', () => {
    expect([isBoundTo(command, bound()), isBoundTo(command, bound({ epoch: 9n }))]).toEqual([true, true]);
  });

  it.each([
    ['another command', bound({ id: OperationId.mint() })],
    ['the epoch that was to precede', bound({ epoch: 4n })],
    ['an epoch above the last one that there is', bound({ epoch: 18446744073709551616n })],
    ['another epoch than its bytes', { ...bound(), securityEpoch: 6n }],
    ['another digest', { ...bound(), bindingDigest: command.expectedProjectionDigest }],
    ['other bytes', { ...bound(), bindingBytes: Buffer.from('{}') }],
    ['another projection than its bytes', { ...bound(), projectionDigest: noOtherInputs(ORG).digest }],
  ])('not: with %s', (_what, answer) => {
    expect(isBoundTo(command, answer)).toBe(false);
  });
});
