import { RetryableFault } from '@connector/kernel/faults';
import { OperationId } from '@connector/kernel/ids';
import type { ServiceAnswer, ServiceClient } from '@connector/platform/http/service-client';
import { securityBinding } from '@connector/security/contract/projection';
import { advanceOf, grantsOf } from '@connector/testing/fixtures/security';
import { securityOverHttp } from './security-over-http';

const ORG = 'org/1';
const COMMAND = advanceOf(ORG, grantsOf(ORG, { 'inst-1': [] }), 4n);
const DIGEST = COMMAND.expectedProjectionDigest;

let asked: readonly unknown[];
/** Runtime, as far as one answer goes. */
const runtime = (answer: ServiceAnswer | Error): ServiceClient => ({
  call: (...request) => {
    asked = request;
    return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
  },
  close: () => Promise.resolve(),
});
const advance = (status: number, body: unknown) => securityOverHttp(runtime({ status, body })).advance(COMMAND);
const head = (status: number, body: unknown) => securityOverHttp(runtime({ status, body })).readHead(ORG);

function bound(
  over: { readonly epoch?: string; readonly organization?: string; readonly commandId?: OperationId; readonly digest?: typeof DIGEST } = {},
) {
  const { epoch = '5', organization = ORG, commandId = COMMAND.commandId, digest = DIGEST } = over;
  const binding = securityBinding.build({
    schema_version: 'nexuscrm.runtime-security-binding/v1',
    command_id: commandId,
    organization_id: organization,
    security_epoch: epoch,
    projection_digest: digest,
  });
  return {
    kind: 'bound',
    security_epoch: epoch,
    projection_digest: digest,
    binding_base64: binding.bytes.toString('base64'),
    binding_digest: binding.digest,
  };
}
const OTHER = advanceOf('x', grantsOf('x', {})).expectedProjectionDigest;
const HEAD = { kind: 'head', security_epoch: '4', other_inputs_digest: DIGEST, projection_digest: null };

describe('runtime security over http', () => {
  it('bound: cat:PUBL-04 the bytes that were committed go out, and the binding of exactly this command comes back', async () => {
    expect(await advance(200, bound())).toMatchObject({ kind: 'bound', securityEpoch: 5n, projectionDigest: DIGEST });
    const body = {
      command_id: COMMAND.commandId,
      organization: ORG,
      expected_prior_epoch: '4',
      app_grants_base64: COMMAND.appGrants.toString('base64'),
      expected_projection_digest: DIGEST,
    };
    expect(asked).toEqual(['POST', '/v1/security/app-grants', body]);
  });

  it.each([
    [
      { kind: 'stale-epoch', current_epoch: '18446744073709551615' },
      { code: 'stale-epoch', currentEpoch: 18446744073709551615n },
    ],
    [{ kind: 'payload-conflict' }, { code: 'payload-conflict' }],
    [{ kind: 'epochs-exhausted' }, { code: 'epochs-exhausted' }],
    [
      { kind: 'projection-differs', projection_digest: DIGEST, other_inputs_digest: OTHER },
      { code: 'projection-differs', projectionDigest: DIGEST, otherInputsDigest: OTHER },
    ],
  ])('refused: %j', async (body, refused) => {
    expect(await advance(409, body)).toEqual({ kind: 'refused', ...refused });
  });

  it('head: one organization is one part of the path', async () => {
    expect(await head(200, HEAD)).toEqual({ kind: 'head', securityEpoch: 4n, otherInputsDigest: DIGEST, projectionDigest: null });
    expect(asked).toEqual(['GET', '/v1/security/orgs/org%2F1/head']);
    expect(await head(200, { ...HEAD, projection_digest: OTHER })).toMatchObject({ projectionDigest: OTHER });
  });

  it.each<[string, number, unknown]>([
    ['of another command', 200, bound({ commandId: OperationId.mint() })],
    ['of another organization', 200, bound({ organization: 'org-2' })],
    ['of another projection', 200, bound({ digest: OTHER })],
    ['of the epoch that was expected to precede', 200, bound({ epoch: '4' })],
    ['of an earlier epoch', 200, bound({ epoch: '3' })],
    ['of an epoch above the last one that there is', 200, bound({ epoch: '18446744073709551616' })],
    ['that names another epoch than its bytes', 200, { ...bound(), security_epoch: '6' }],
    ['that names another projection than its bytes', 200, { ...bound(), projection_digest: OTHER }],
    ['with another digest than its bytes have', 200, { ...bound(), binding_digest: OTHER }],
    ['without its bytes', 200, { ...bound(), binding_base64: '' }],
    ['under another status', 201, bound()],
    ['that is a conflict', 409, bound()],
    ['with a member more', 200, { ...bound(), more: 1 }],
  ])('unavailable: a binding %s is no acknowledgement', async (_what, status, body) => {
    expect(await advance(status, body)).toEqual({ kind: 'unavailable' });
  });

  it('unavailable: a head at an epoch above the last one that there is', async () => {
    expect(await head(200, { ...HEAD, security_epoch: '18446744073709551615' })).toMatchObject({ securityEpoch: 18446744073709551615n });
    expect(await head(200, { ...HEAD, security_epoch: '18446744073709551616' })).toEqual({ kind: 'unavailable' });
  });

  it.each<[string, number, unknown]>([
    ['a refusal of an unknown kind', 409, { kind: 'closed' }],
    ['a refusal with a member more', 409, { kind: 'payload-conflict', more: 1 }],
    ['a stale epoch that is not named', 409, { kind: 'stale-epoch' }],
    ['a refusal under another status', 404, { kind: 'payload-conflict' }],
    ['a problem', 400, { code: 'HOUSE:http:BodyInvalid', status: 400 }],
    ['nothing', 204, undefined],
  ])('unavailable: %s says nothing', async (_what, status, body) => {
    expect(await advance(status, body)).toEqual({ kind: 'unavailable' });
    expect(await head(status, body)).toEqual({ kind: 'unavailable' });
  });

  it('unavailable: nobody answers; what is wrong with ourselves is thrown', async () => {
    const nobody = securityOverHttp(runtime(new RetryableFault('HOUSE:http:Unreachable', 'x')));
    expect([await nobody.advance(COMMAND), await nobody.readHead(ORG)]).toEqual([{ kind: 'unavailable' }, { kind: 'unavailable' }]);
    await expect(securityOverHttp(runtime(new TypeError('ours'))).advance(COMMAND)).rejects.toThrow('ours');
  });
});
