import { Digest } from '@connector/kernel/digest';
import { InputFault } from '@connector/kernel/faults';
import { type Candidate, candidateDocument } from './candidate';
import { type Withdrawal, withdrawalDocument } from './withdrawal';

const digest = Digest.sha256(Buffer.from('any'));
const MINTED = '018f3c2a-9d44-7a02-8b77-51c0a7e3f902';
const candidate: Candidate = {
  schema_version: 'nexuscrm.app-installation-candidate/v1',
  organization_id: 'org-1',
  app_installation_id: MINTED,
  attempt: '1',
  app_id: 'dev.example.workbench',
  app_release_digest: digest,
  dependencies: [],
  grants: [],
  handler_bindings: [{ binding_id: MINTED, capability_id: 'a.b.v1', workload_id: 'a.b', service_release_digest: digest }],
  schema_generation: '7',
};
const [binding] = candidate.handler_bindings;
const withdrawal: Withdrawal = {
  schema_version: 'nexuscrm.app-installation-withdrawal/v1',
  kind: 'removal',
  organization_id: 'org-1',
  app_installation_id: MINTED,
  attempt: '2',
  app_id: candidate.app_id,
  app_release_digest: digest,
};

describe('what step 1 freezes', () => {
  it('accepted: an installation and a binding that Catalog minted', () => {
    expect(candidateDocument.parse(candidateDocument.build(candidate).bytes).value).toEqual(candidate);
    expect(() => withdrawalDocument.build(withdrawal)).not.toThrow();
  });

  it.each([
    ['a name', 'inst-1'],
    ['255 bytes of one', 'i'.repeat(255)],
    ['a legacy pack installation', 'pack-install-000000000000000042'],
    ['version 4', '018f3c2a-9d44-4a02-8b77-51c0a7e3f902'],
    ['another variant', '018f3c2a-9d44-7a02-cb77-51c0a7e3f902'],
    ['upper case', MINTED.toUpperCase()],
    ['no hyphens', MINTED.replaceAll('-', '')],
    ['a blank behind it', `${MINTED} `],
  ])('refused: %s is no installation and no binding, though it is shorter than any carrier (cat:ID-17, cat:REJ-02)', (_what, id) => {
    expect(() => candidateDocument.build({ ...candidate, app_installation_id: id })).toThrow(InputFault);
    expect(() => withdrawalDocument.build({ ...withdrawal, app_installation_id: id })).toThrow(InputFault);
    const bound = [{ ...binding, binding_id: id }] as Candidate['handler_bindings'];
    expect(() => candidateDocument.build({ ...candidate, handler_bindings: bound })).toThrow(InputFault);
  });
});
