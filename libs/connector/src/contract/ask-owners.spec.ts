import type { CredentialGenerationId } from '@connector/kernel/ids';
import { VECTOR_EPOCH, vectorAnswers } from '@connector/testing/fixtures/serving';
import { assembleEpoch } from '../model/serving/assemble-epoch';
import type { CredentialAnswer } from '../model/serving/owner-answers';
import { askOwners } from './ask-owners';
import type { OwnerReaders } from './owners';

const { question, view, configuration, definitions, credentials } = vectorAnswers();

function owners(change: Partial<OwnerReaders> = {}): OwnerReaders & { readonly asked: string[] } {
  const asked: string[] = [];
  let next = 0;
  return {
    asked,
    catalog: {
      readCurrent: ({ organization, installation, workload }, revision) => {
        asked.push(`view ${organization} ${installation} ${workload} ${revision}`);
        return Promise.resolve({ kind: 'found', ...view });
      },
    },
    configurations: { readExact: (id) => (asked.push(`configuration ${id}`), Promise.resolve({ kind: 'found', ...configuration })) },
    definitions: {
      readExact: (identity, payload) => {
        asked.push(JSON.stringify({ ...identity, payload }));
        const answer = definitions[next++];
        return Promise.resolve(answer ? { kind: 'found', ...answer } : { kind: 'absent', code: 'DEFINITION_ABSENT' });
      },
    },
    credentials: {
      readExact: (id: CredentialGenerationId) => Promise.resolve({ kind: 'found', ...(credentials.get(id) as CredentialAnswer) }),
    },
    ...change,
  };
}

describe('ask-owners', () => {
  it('found: every owner is asked for exactly what view and configuration name (con:EPOCH-01, con:VERI-P, cat:INT-12)', async () => {
    const all = owners();
    const asked = await askOwners(all, question);
    const assembled = asked.kind === 'found' ? assembleEpoch(VECTOR_EPOCH, asked.answers) : asked;
    expect(assembled).toEqual(assembleEpoch(VECTOR_EPOCH, vectorAnswers()));
    const rows = (JSON.parse(view.viewBytes.toString()) as { bindings: Record<string, string>[] }).bindings;
    const { organization, installation, workload, minCatalogRevision, configurationId } = question;
    const wanted = rows.map((row) =>
      JSON.stringify({
        ...{ organization, installation, workload, kind: row['kind'], ownerPack: row['owner_pack'] },
        ...{ packInstallation: row['pack_installation_id'], businessKey: row['business_key'] },
        ...{ definitionVersion: row['definition_version'], payload: row['pack_payload_digest'] },
      }),
    );
    const scope = `${organization} ${installation} ${workload}`;
    expect(all.asked).toEqual([`view ${scope} ${minCatalogRevision}`, `configuration ${configurationId}`, ...wanted]);
  });

  const unavailable = { readExact: () => Promise.resolve({ kind: 'unavailable' } as const) };
  const absent = { readExact: () => Promise.resolve({ kind: 'absent', code: 'GENERATION_ABSENT' } as const) };
  const mismatch = { readExact: () => Promise.resolve({ kind: 'mismatch', code: 'DIGEST_MISMATCH' } as const) };

  it.each<[string, Partial<OwnerReaders>]>([
    ['catalog', { catalog: { readCurrent: () => Promise.resolve({ kind: 'unavailable' }) } }],
    ['catalog', { catalog: { readCurrent: () => Promise.resolve({ kind: 'not-fresh' }) } }],
    ['configuration', { configurations: unavailable }],
    ['packs', { definitions: unavailable }],
    ['credentials', { credentials: unavailable }],
  ])('unavailable: con:EPOCH-03 no answer of %s decides nothing', async (owner, change) => {
    expect(await askOwners(owners(change), question)).toEqual({ kind: 'unavailable', owner });
  });

  it.each<[string, string, Partial<OwnerReaders>]>([
    [
      'catalog',
      'WORKLOAD_NOT_AUTHORIZED',
      { catalog: { readCurrent: () => Promise.resolve({ kind: 'absent', code: 'WORKLOAD_NOT_AUTHORIZED' }) } },
    ],
    ['configuration', 'GENERATION_ABSENT', { configurations: absent }],
    ['packs', 'DIGEST_MISMATCH', { definitions: mismatch }],
    ['credentials', 'GENERATION_ABSENT', { credentials: absent }],
    [
      'catalog',
      'document-not-understood',
      { catalog: { readCurrent: () => Promise.resolve({ kind: 'found', ...view, viewBytes: Buffer.from('[') }) } },
    ],
    [
      'configuration',
      'document-not-understood',
      { configurations: { readExact: () => Promise.resolve({ kind: 'found', ...configuration, documentBytes: Buffer.from('{}') }) } },
    ],
  ])('rejected: con:EPOCH-02 %s answers %s', async (owner, code, change) => {
    expect(await askOwners(owners(change), question)).toEqual({ kind: 'rejected', owner, code });
  });
});
