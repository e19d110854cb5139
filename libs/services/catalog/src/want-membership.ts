import type { DocumentFault } from '@connector/kernel/document-fault';
import type { ViewBinding } from '@connector/catalog/model/documents';
import { faultsOf, membershipFaults, type MembershipFaults } from '@connector/catalog/model/membership-faults';
import { setMembership, type MembershipSet, type SetMembership } from '@connector/catalog/transitions/set-membership.tx';
import { absentBindings, type AbsentCode } from '@connector/packs/reads/absent-bindings';
import type { Db } from '@connector/platform/db/db';
import { ANSWER_SOON, retrying } from '@connector/platform/db/retrying';

export type MembershipAnswer = MembershipSet | ({ readonly kind: 'faulty' } & MembershipFaults);

/**
 * Asks the pack registry whether every definition stands before anything is written: a generation never changes and never goes, so what it
 * answers stays true, and no transaction spans the two owners (decisions 12.4). All faults come together; nothing is written then.
 */
export async function wantMembership(catalog: Db, packs: Db, input: SetMembership): Promise<MembershipAnswer> {
  const faults = [...membershipFaults(input.bindings), ...(await registryFaults(packs, input))];
  if (faults.length > 0) return { kind: 'faulty', ...faultsOf(faults) };
  return retrying(ANSWER_SOON, () => setMembership(catalog, input));
}

const EXPECTED: Readonly<Record<AbsentCode, string>> = {
  GENERATION_ABSENT: 'the payload digest of a registered generation of this pack',
  INSTALLATION_ABSENT: 'the id under which the pack is installed for this organization',
  DEFINITION_ABSENT: 'a definition of this generation',
};
const MEMBER: Readonly<Record<AbsentCode, string>> = {
  GENERATION_ABSENT: '/pack_payload_digest',
  INSTALLATION_ABSENT: '/pack_installation_id',
  DEFINITION_ABSENT: '',
};

async function registryFaults(packs: Db, { organization, bindings }: SetMembership): Promise<readonly DocumentFault[]> {
  const absent = await absentBindings(packs, organization, bindings.map(wantedOf));
  return absent.flatMap((code, at) =>
    code === undefined
      ? []
      : [{ pointer: `/${at}${MEMBER[code]}`, code, rule: 'cat:INT-12', expected: EXPECTED[code], found: 'none in the pack registry' }],
  );
}

function wantedOf(binding: ViewBinding) {
  return {
    kind: binding.kind,
    ownerPack: binding.owner_pack,
    packInstallation: binding.pack_installation_id,
    packPayloadDigest: binding.pack_payload_digest,
    businessKey: binding.business_key,
    definitionVersion: binding.definition_version,
  };
}
