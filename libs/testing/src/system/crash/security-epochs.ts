import type { Service } from '@connector/kernel/roles';
import { serviceClient } from '@connector/platform/http/service-client';
import { noOtherInputs, otherInputs } from '@connector/security/contract/projection';
import { ask } from '@connector/services/local/src/demo/ask';
import { tokenRef } from '@connector/services/local/src/mint-secrets';
import { otherInputsOf } from '../../fixtures/security';
import type { SystemUnderTest } from '../system';
import { until } from '../until';

const CALL_MS_MAX = 5_000;
const ANSWER_MS_MAX = 45_000;

/** Two epochs of an organization, as an operator makes them. */
export function replacedInputs(system: SystemUnderTest, organization: string): Promise<void> {
  return allBound(system, 'operator', inputsPath(organization), inputsBodies(organization, 2));
}

const MOVES_MAX = 60;

/** Epochs of an organization, one after the other, until `over` or there were enough for anybody to be overtaken. */
export async function movedInputs(system: SystemUnderTest, organization: string, over: () => boolean): Promise<void> {
  await allBound(system, 'operator', inputsPath(organization), inputsBodies(organization, MOVES_MAX), over);
}

const inputsPath = (organization: string): string => `/v1/security/orgs/${organization}/other-inputs`;

/** By turns some inputs and others, each in the place of the one before. */
function inputsBodies(organization: string, count: number): readonly object[] {
  let expected = noOtherInputs(organization).digest;
  return Array.from({ length: count }, (_, at) => {
    const { operationId, platformGrants } = otherInputsOf(organization, at % 2 === 0 ? undefined : []);
    const body = { operation_id: operationId, expected_other_inputs_digest: expected, platform_grants: platformGrants };
    const said = { schema_version: 'nexuscrm.runtime-security-other-inputs/v1', organization_id: organization } as const;
    expected = otherInputs.build({ ...said, platform_grants: platformGrants }).digest;
    return body;
  });
}

/** Whatever died meanwhile: the same command is asked for again, and it is bound. */
async function allBound(
  { local }: SystemUnderTest,
  caller: Service,
  path: string,
  bodies: readonly object[],
  over: () => boolean = () => false,
): Promise<void> {
  const token = await local.store.read(tokenRef(caller, 'runtime'));
  const client = serviceClient({ baseUrl: local.url('runtime'), token, timeoutMs: CALL_MS_MAX });
  try {
    for (const body of bodies) {
      if (over()) return;
      const answer = await until(`POST ${path}`, ANSWER_MS_MAX, () => ask(client, 'POST', path, body));
      if (answer.kind !== 'bound') throw new Error(`POST ${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`);
    }
  } finally {
    await client.close();
  }
}
