import { closed, DECIMAL, oneOf, type TypeOf } from '@connector/kernel/document-shape';
import type { TupleRefusal } from '@connector/security/model/admission';
import type { ADMISSION } from './api/installs-shapes';
import { either, wordOf } from './api/shapes';
import { shownAs } from './shown';
import type { Told } from './told';

const REFUSALS = ['epoch-ahead', 'not-bound', 'withdrawn', 'bindings-differ', 'altered'] as const satisfies readonly TupleRefusal[];
const answer = shownAs(
  either(
    closed({ kind: oneOf('admitted'), security_epoch: DECIMAL }),
    closed({ kind: oneOf('refused'), code: wordOf(REFUSALS), current_epoch: DECIMAL }),
  ),
);

/** What the ACTIVE tuple says, and what Runtime security has in its place. */
const DIFFERS: Readonly<Record<TupleRefusal, (tuple: string, now: string) => string>> = {
  'epoch-ahead': (tuple, now) => `the tuple is of security epoch ${tuple}, which Runtime never allocated: it is at ${now}`,
  'not-bound': (tuple) => `security epoch ${tuple}, which the tuple names, binds nothing to the installation`,
  withdrawn: (tuple, now) => `security epoch ${tuple} bound it, and the present one, ${now}, does not`,
  'bindings-differ': (tuple, now) => `the present security epoch, ${now}, binds other grants to it than ${tuple}, which the tuple names`,
  altered: (tuple, now) => `what Runtime security keeps of epoch ${tuple} or ${now} is not what its digest says`,
};

/** Whether Runtime admits what is ACTIVE, by its present projection (cat:A-46). */
export class Admissions {
  constructor(private readonly runtime: Told) {}

  async of(organization: string, installation: string, securityEpoch: bigint): Promise<TypeOf<typeof ADMISSION>> {
    const [tuple, org] = [securityEpoch.toString(), encodeURIComponent(organization)];
    const at = `/v1/security/orgs/${org}/app-installations/${encodeURIComponent(installation)}/admission?security_epoch=${tuple}`;
    const said = await this.runtime.get(at, 200, 409);
    if (said.kind === 'unknown') return said;
    const found = answer(said.members);
    return found.kind === 'admitted' ? found : { ...found, detail: DIFFERS[found.code](tuple, found.current_epoch) };
  }
}
