import type { AdvanceAnswer, AdvanceAppGrants, RuntimeSecurity } from '@connector/catalog/contract/runtime-security';
import { RetryableFault } from '@connector/kernel/faults';
import type { ServiceAnswer, ServiceClient } from '@connector/platform/http/service-client';
import { isBoundTo } from '@connector/security/contract/projection';
import { readBound, readHeadAnswer, readRefusal } from './security-wire';

const UNAVAILABLE = { kind: 'unavailable' } as const;

/** A refused connection, a deadline and a 5xx say nothing; whether it was done is then not known. */
async function answerTo(call: Promise<ServiceAnswer>): Promise<ServiceAnswer | undefined> {
  try {
    return await call;
  } catch (thrown) {
    if (thrown instanceof RetryableFault) return undefined;
    throw thrown;
  }
}

/**
 * Runtime security over HTTP. Three answers to a command: bound, refused, unavailable. A problem document, another shape, and a binding of
 * anything but exactly this command are `unavailable`: nothing is taken for an acknowledgement that is none.
 */
export function securityOverHttp(runtime: ServiceClient): RuntimeSecurity {
  return {
    readHead: async (organization) => {
      const answer = await answerTo(runtime.call('GET', `/v1/security/orgs/${encodeURIComponent(organization)}/head`));
      return (answer?.status === 200 ? readHeadAnswer(answer.body) : undefined) ?? UNAVAILABLE;
    },
    advance: async (command) => {
      const answer = await answerTo(runtime.call('POST', '/v1/security/app-grants', bodyOf(command)));
      return answer === undefined ? UNAVAILABLE : said(command, answer);
    },
  };
}

function said(command: AdvanceAppGrants, { status, body }: ServiceAnswer): AdvanceAnswer {
  if (status === 409) return readRefusal(body) ?? UNAVAILABLE;
  const bound = status === 200 ? readBound(body) : undefined;
  return bound !== undefined && isBoundTo(command, bound) ? bound : UNAVAILABLE;
}

/** The bytes go out as they were committed (cat:PUBL-04). */
function bodyOf({ commandId, organization, expectedPriorEpoch, appGrants, expectedProjectionDigest }: AdvanceAppGrants) {
  return {
    command_id: commandId,
    organization,
    expected_prior_epoch: expectedPriorEpoch.toString(),
    app_grants_base64: appGrants.toString('base64'),
    expected_projection_digest: expectedProjectionDigest,
  };
}
