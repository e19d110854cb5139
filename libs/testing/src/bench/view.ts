import { type CurrentView, readCurrentView } from '@connector/catalog/reads/current-view';
import type { ViewBinding } from '@connector/catalog/model/documents';
import { setMembership } from '@connector/catalog/transitions/set-membership.tx';
import { Digest } from '@connector/kernel/digest';
import type { Db } from '@connector/platform/db/db';
import { mainSchema } from '../database';
import { INSTALLATION, installedApp, ORGANIZATION } from '../fixtures/installation';
import { asking } from '../fixtures/registry';
import { figureLine, latencyLines, type Line } from './line';
import { rounds, timed } from './rounds';
import { spreadOf } from './statistics';

export const SCOPE = { organization: ORGANIZATION, installation: INSTALLATION, workload: 'wl.workbench' };
const BINDINGS = 1_000;
/** Of a round. */
const READS = 20;

type FoundView = Extract<CurrentView, { readonly kind: 'found' }>;

/** Throws unless the view is there, at this revision of the organization at least. */
export async function readView(db: Db, minRevision: bigint): Promise<FoundView> {
  const view = await readCurrentView(db, SCOPE, minRevision);
  if (view.kind !== 'found') throw new Error(`the view was not found: ${view.kind}`);
  return view;
}

/** So many bindings through the door, after the revision that is given; `version` makes them new. Answers the revision that they took. */
export async function setBindings(db: Db, after: bigint, count: number, version: string): Promise<bigint> {
  const bindings = Array.from({ length: count }, (_, at): ViewBinding => ({
    kind: 'field-mapping',
    owner_pack: `dev.example.pack-${at % 10}`,
    pack_installation_id: 'pi-1',
    pack_payload_digest: Digest.sha256(Buffer.from(`generation of ${at % 10}`)),
    business_key: `thing/${at}`,
    definition_version: version,
    credential_refs: [],
  }));
  const answer = await setMembership(db, { request: asking(), ...SCOPE, expectedCatalogRevision: after, bindings });
  if (answer.kind !== 'set') throw new Error(`the membership was not set: ${answer.kind}`);
  return answer.catalogRevision;
}

/** A view as who serves takes it: its bytes, their digest made again, and the receipt. */
export async function benchView(seconds: number): Promise<readonly Line[]> {
  const schema = await mainSchema();
  try {
    await installedApp(schema);
    const revision = await setBindings(schema.db, 1n, BINDINGS, '1');
    const { viewBytes, receiptBytes } = await readView(schema.db, revision);
    const spent = await rounds(seconds, async () => {
      const ms: number[] = [];
      for (let read = 0; read < READS; read += 1) ms.push(await timed(() => readView(schema.db, revision)));
      return ms;
    });
    return [
      ...latencyLines('i', `view of ${BINDINGS} bindings read`, spent.flat(), 'one after the other'),
      figureLine('i', '  the view', spreadOf([viewBytes.length]), 'bytes'),
      figureLine('i', '  its receipt', spreadOf([receiptBytes.length]), 'bytes'),
    ];
  } finally {
    await schema.close();
  }
}
