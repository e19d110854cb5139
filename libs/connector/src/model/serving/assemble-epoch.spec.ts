import { Digest } from '@connector/kernel/digest';
import { jcs } from '@connector/kernel/jcs';
import { ConfigurationId, CredentialGenerationId } from '@connector/kernel/ids';
import { changed, GENERATION_OF_PRIMARY, VECTOR_ACCOUNTS, VECTOR_EPOCH, vectorAnswers } from '@connector/testing/fixtures/serving';
import { vectorEpoch } from '@connector/testing/vectors/serving-epoch';
import { profiledVector } from '@connector/testing/vectors/load';
import { assembleEpoch } from './assemble-epoch';
import type { CredentialAnswer, DefinitionAnswer, OwnerAnswers } from './owner-answers';

const ORDERED = { ordering: { kind: 'order_independent', commutativity_proof: 'sums' } };
const OTHER = Digest.sha256(Buffer.from('other'));
type Change = (answers: OwnerAnswers) => OwnerAnswers;
type Document = Record<string, unknown>;
interface Entry {
  account: string;
  credential_ref: string;
  credential_generation_id: string;
}
interface Account {
  account: string;
  routes: string[];
  mappings: string[];
}

const inView =
  (change: (view: Document) => void): Change =>
  (answers) => ({ ...answers, view: { ...answers.view, viewBytes: changed(answers.view.viewBytes, change) } });
const inReceipt =
  (change: (receipt: Document) => void): Change =>
  (answers) => ({ ...answers, view: { ...answers.view, receiptBytes: changed(answers.view.receiptBytes, change) } });
const inConfiguration =
  (change: (configuration: Document) => void): Change =>
  (answers) => ({
    ...answers,
    configuration: { ...answers.configuration, documentBytes: changed(answers.configuration.documentBytes, change) },
  });
const inRelation = (change: (relation: Entry[]) => void): Change =>
  inConfiguration((document) => change(document['credential_relation'] as Entry[]));
const inAccount = (change: (account: Account) => void): Change =>
  inConfiguration((document) => change((document['accounts'] as [Account])[0]));
const inDefinition =
  (change: Partial<DefinitionAnswer>, at = 1): Change =>
  (answers) => ({ ...answers, definitions: answers.definitions.map((one, index) => (index === at ? { ...one, ...change } : one)) });
const inCredential =
  (change: (answer: CredentialAnswer) => CredentialAnswer): Change =>
  (answers) => {
    const answer = answers.credentials.get(GENERATION_OF_PRIMARY) as CredentialAnswer;
    return { ...answers, credentials: new Map([...answers.credentials, [GENERATION_OF_PRIMARY, change(answer)]]) };
  };

const assemble = (change: Change = (answers) => answers): ReturnType<typeof assembleEpoch> =>
  assembleEpoch(VECTOR_EPOCH, change(vectorAnswers()));

describe('assemble-epoch', () => {
  it('assembled: the owners’ answers of the vectors are the epoch of the vectors, byte for byte (con:OPEN-05, con:EPOCH-F)', () => {
    const made = assemble();
    expect(made).toMatchObject({
      kind: 'assembled',
      accounts: VECTOR_ACCOUNTS,
      digested: { digest: profiledVector('serving epoch').digest },
    });
    expect(made.kind === 'assembled' && made.parts).toMatchObject({
      ...vectorEpoch(),
      configuration: { generationId: vectorEpoch().configuration.generationId },
    });
  });

  it('assembled: the same bytes whatever the order in which the credentials were answered (con:SCG-F)', () => {
    const reversed: Change = (answers) => ({ ...answers, credentials: new Map([...answers.credentials].reverse()) });
    expect(assemble(reversed)).toEqual(assemble());
  });

  it.each<[string, string, Change]>([
    ['catalog', 'document-not-understood', (answers) => ({ ...answers, view: { ...answers.view, viewBytes: Buffer.from('{}') } })],
    ['catalog', 'document-not-understood', inView((view) => (view['note'] = 'x'))],
    ['catalog', 'receipt-differs-from-view', inReceipt((receipt) => (receipt['view_digest'] = OTHER))],
    ['catalog', 'receipt-differs-from-view', inView((view) => (view['source_snapshot_digest'] = OTHER))],
    ['catalog', 'receipt-differs-from-view', inReceipt((receipt) => (receipt['source_snapshot_digest'] = OTHER))],
    ['catalog', 'receipt-differs-from-view', (answers) => ({ ...answers, view: { ...answers.view, sourceSnapshotDigest: OTHER } })],
    ['catalog', 'receipt-differs-from-view', (answers) => ({ ...answers, view: { ...answers.view, viewDigest: OTHER } })],
    ['connector', 'lineage-differs', inReceipt((receipt) => ((receipt['lineage'] as Document)['catalog_revision'] = '43'))],
    ['configuration', 'document-not-understood', inConfiguration((document) => delete document['service_id'])],
    [
      'configuration',
      'receipt-differs-from-configuration',
      (answers) => ({ ...answers, configuration: { ...answers.configuration, generationDigest: OTHER } }),
    ],
    [
      'configuration',
      'receipt-differs-from-configuration',
      (answers) => ({ ...answers, question: { ...answers.question, configurationId: ConfigurationId.mint() } }),
    ],
    ['packs', 'definition-missing', (answers) => ({ ...answers, definitions: answers.definitions.slice(1) })],
    ['packs', 'definition-missing', (answers) => ({ ...answers, definitions: [...answers.definitions, ...answers.definitions.slice(-1)] })],
    [
      'packs',
      'ordering-missing',
      (answers) => ({ ...answers, definitions: answers.definitions.map((one) => ({ ...one, definitionBytes: jcs({}) })) }),
    ],
    [
      'packs',
      'route-without-mapping',
      (answers) => ({
        ...answers,
        definitions: answers.definitions.map((one) => ({ ...one, definitionBytes: jcs({ ...ORDERED, mapping: 'nowhere' }) })),
      }),
    ],
    ['packs', 'receipt-differs-from-definition', inDefinition({ canonicalDefinitionDigest: OTHER })],
    ['packs', 'receipt-differs-from-definition', inDefinition({ packGenerationStorageId: 'other' })],
    ['packs', 'receipt-differs-from-definition', inDefinition({ receiptBytes: vectorAnswers().definitions[0]?.receiptBytes as Buffer })],
    ['packs', 'receipt-differs-from-definition', inDefinition({ definitionEnvelopeVersion: 'other' })],
    ['packs', 'receipt-differs-from-definition', inDefinition({ definitionReceiptVersion: 'other' })],
    ['packs', 'document-not-understood', inDefinition({ receiptBytes: Buffer.from('x') })],
    ['credentials', 'receipt-differs-from-credential', inCredential((answer) => ({ ...answer, transportDigest: OTHER }))],
    [
      'credentials',
      'receipt-differs-from-credential',
      inCredential((answer) => ({
        ...answer,
        receiptBytes: changed(answer.receiptBytes, (one) => (one['credential_generation_id'] = '018f3c2a-c0de-7000-8000-0000000000ff')),
      })),
    ],
    ['credentials', 'document-not-understood', inCredential((answer) => ({ ...answer, receiptBytes: jcs({}) }))],
    [
      'credentials',
      'credential-missing',
      (answers) => ({ ...answers, credentials: new Map([...answers.credentials].filter(([id]) => id !== GENERATION_OF_PRIMARY)) }),
    ],
    [
      'connector',
      'credential-extra',
      (answers) => {
        const [id, spare] = [CredentialGenerationId.mint(), answers.credentials.get(GENERATION_OF_PRIMARY) as CredentialAnswer];
        const uuid = CredentialGenerationId.bytes(id)
          .toString('hex')
          .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
        const receiptBytes = changed(spare.receiptBytes, (receipt) => (receipt['credential_generation_id'] = uuid));
        return { ...answers, credentials: new Map([...answers.credentials, [id, { ...spare, receiptBytes }]]) };
      },
    ],
  ])('mismatch: %s %s (con:VERI-P, con:INV-25)', (owner, code, change) => {
    expect(assemble(change)).toEqual({ kind: 'mismatch', owner, code });
  });

  it.each(['organization_id', 'app_installation_id', 'authorized_workload_id'])(
    'mismatch: cat:INT-07 the view, or its receipt alone, is of a neighbour by its %s',
    (member) => {
      const elsewhere = { kind: 'mismatch', owner: 'catalog', code: 'view-of-another-scope' };
      expect(assemble(inView((view) => (view[member] = 'other')))).toEqual(elsewhere);
      expect(assemble(inReceipt((receipt) => (receipt[member] = 'other')))).toEqual(elsewhere);
    },
  );

  it.each([
    ['kind', 'push-contract'],
    ['owner_pack', 'other'],
    ['pack_installation_id', 'other'],
    ['pack_payload_digest', OTHER],
    ['business_key', 'other'],
    ['definition_version', 'other'],
  ])('mismatch: cat:INT-14 cat:INT-12 a definition whose receipt is about a neighbour by its %s', (member, other) => {
    const receiptBytes = changed(vectorAnswers().definitions[1]?.receiptBytes as Buffer, (receipt) => (receipt[member] = other));
    expect(assemble(inDefinition({ receiptBytes }))).toEqual({ kind: 'mismatch', owner: 'packs', code: 'receipt-differs-from-definition' });
  });

  it.each<[string, Change]>([
    ['account-repeated', inConfiguration((document) => (document['accounts'] as Account[]).push((document['accounts'] as [Account])[0]))],
    ['route-not-one-binding', inAccount((account) => account.routes.push('no/such-route'))],
    ['mapping-not-one-binding', inAccount((account) => account.mappings.push('no/such-mapping'))],
    ['relation-account-unknown', inRelation((relation) => ((relation[0] as Entry).account = 'other'))],
    ['relation-reference-unknown', inRelation((relation) => ((relation[0] as Entry).credential_ref = 'other'))],
    ['relation-repeated', inRelation((relation) => relation.push(relation[0] as Entry))],
    ['relation-missing', inRelation((relation) => relation.pop())],
    [
      'relation-missing',
      inConfiguration((document) => {
        const accounts = document['accounts'] as Account[];
        accounts.push({ ...(accounts[0] as Account), account: 'north' });
      }),
    ],
    [
      'credential-account-differs',
      inCredential((answer) => ({ ...answer, receiptBytes: changed(answer.receiptBytes, (one) => (one['account'] = 'other')) })),
    ],
    [
      'credential-identity-differs',
      inCredential((answer) => ({
        ...answer,
        receiptBytes: changed(answer.receiptBytes, (one) => (one['credential_identity'] = 'other')),
      })),
    ],
  ])('mismatch: configuration %s (con:SCG-K)', (code, change) => {
    expect(assemble(change)).toEqual({ kind: 'mismatch', owner: 'configuration', code });
  });

  /** The view has one of its bindings once more, and the account chooses no mapping. */
  const twice = (at: number, over: Document): Change => {
    const view = inView((document) => {
      const bindings = document['bindings'] as Document[];
      bindings.push({ ...bindings[at], ...over });
    });
    const unchosen = inAccount((account) => (account.mappings = []));
    return (answers) => {
      const definition = answers.definitions[at] as DefinitionAnswer;
      const receiptBytes = changed(definition.receiptBytes, (receipt) => Object.assign(receipt, over));
      return unchosen(view({ ...answers, definitions: [...answers.definitions, { ...definition, receiptBytes }] }));
    };
  };

  it.each<[string, string, number, Document]>([
    ['route-not-one-binding', 'a route that two packs of the view have', 2, { owner_pack: 'zz-other' }],
    ['push-not-one-binding', 'a push contract that two packs have', 3, { owner_pack: 'zz-other' }],
    ['push-not-one-binding', 'a push contract in two versions', 3, { definition_version: '9' }],
    ['mapping-not-one-binding', 'a mapping of one pack in two versions', 1, { definition_version: '9' }],
    ['profile-not-one-binding', 'a callout profile of one pack in two versions', 0, { definition_version: '9' }],
  ])('mismatch: %s: %s is never chosen from (con:INV-25)', (code, _what, at, over) => {
    expect(assemble(twice(at, over))).toEqual({ kind: 'mismatch', owner: 'configuration', code });
  });

  it.each([
    ['mapping', 1],
    ['callout profile', 0],
  ])('assembled: a %s of the same name in another pack is another pack’s (con:INV-25)', (_what, at) => {
    expect(assemble(twice(at, { owner_pack: 'zz-other' })).kind).toBe('assembled');
  });
});
