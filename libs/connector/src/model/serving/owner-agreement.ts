import { uuidText } from '@connector/kernel/document';
import { ConfigurationId, CredentialGenerationId } from '@connector/kernel/ids';
import type { CredentialAnswer, DefinitionAnswer, OwnerAnswers, OwnerName } from './owner-answers';
import {
  readConfiguration,
  readConfigurationReceipt,
  readCredentialReceipt,
  readDefinitionReceipt,
  readView,
  readViewReceipt,
  type ConfigurationDocument,
  type CredentialReceipt,
  type ViewBinding,
  type ViewDocument,
  type ViewReceipt,
} from './owner-documents';

/** Why an owner's answer does not say one thing. */
export type Disagreement =
  | 'document-not-understood'
  | 'view-of-another-scope'
  | 'receipt-differs-from-view'
  | 'receipt-differs-from-configuration'
  | 'receipt-differs-from-definition'
  | 'definition-missing'
  | 'receipt-differs-from-credential'
  | 'credential-missing';

interface Disagreed {
  readonly kind: 'disagreed';
  readonly owner: OwnerName;
  readonly code: Disagreement;
}

/** The documents behind the answers, each in agreement with its receipt and with what was asked. */
export interface Understood {
  readonly kind: 'understood';
  readonly view: ViewDocument;
  readonly viewReceipt: ViewReceipt;
  readonly configuration: ConfigurationDocument;
  readonly configurationReceipt: { readonly receipt_protocol: string };
  /** By the text form of the generation id that documents use. */
  readonly credentials: ReadonlyMap<string, UnderstoodCredential>;
}
export interface UnderstoodCredential {
  readonly generationId: CredentialGenerationId;
  readonly answer: CredentialAnswer;
  readonly receipt: CredentialReceipt;
}

const disagreed = (owner: OwnerName, code: Disagreement): Disagreed => ({ kind: 'disagreed', owner, code });

export function understand(answers: OwnerAnswers): Understood | Disagreed {
  const view = readView(answers.view.viewBytes);
  const viewReceipt = readViewReceipt(answers.view.receiptBytes);
  if (view === undefined || viewReceipt === undefined) return disagreed('catalog', 'document-not-understood');
  const configuration = readConfiguration(answers.configuration.documentBytes);
  const configurationReceipt = readConfigurationReceipt(answers.configuration.receiptBytes);
  if (configuration === undefined || configurationReceipt === undefined) return disagreed('configuration', 'document-not-understood');
  const { generation_id, generation_digest } = configurationReceipt;
  const asked = uuidText(ConfigurationId.bytes(answers.question.configurationId));
  if (generation_id !== asked || generation_digest !== answers.configuration.generationDigest) {
    return disagreed('configuration', 'receipt-differs-from-configuration');
  }
  const credentials = understandCredentials(answers, configuration);
  if (!(credentials instanceof Map)) return credentials;
  const fault = viewFault(answers, view, viewReceipt) ?? definitionsFault(answers.definitions, view.bindings);
  return fault ?? { kind: 'understood', view, viewReceipt, configuration, configurationReceipt, credentials };
}

function viewFault({ question, view: answer }: OwnerAnswers, view: ViewDocument, receipt: ViewReceipt): Disagreed | undefined {
  const scopes = [view, receipt].map((one) => [one.organization_id, one.app_installation_id, one.authorized_workload_id]);
  const asked = [question.organization, question.installation, question.workload];
  if (!scopes.every((scope) => scope.every((part, at) => part === asked[at]))) return disagreed('catalog', 'view-of-another-scope');
  // The lineage is compared where the epoch is made: it is hashed twice (con:PRE-11).
  const snapshots = [view.source_snapshot_digest, receipt.source_snapshot_digest];
  const same = snapshots.every((digest) => digest === answer.sourceSnapshotDigest) && receipt.view_digest === answer.viewDigest;
  return same ? undefined : disagreed('catalog', 'receipt-differs-from-view');
}

function definitionsFault(definitions: readonly DefinitionAnswer[], bindings: readonly ViewBinding[]): Disagreed | undefined {
  if (definitions.length !== bindings.length) return disagreed('packs', 'definition-missing');
  const faults = bindings.map((binding, at) => definitionFault(binding, definitions[at]));
  return faults.find((fault) => fault !== undefined);
}

/** The receipt says which definition it is about; a neighbour's is none for this binding (cat:INT-12). */
function definitionFault(binding: ViewBinding, answer: DefinitionAnswer | undefined): Disagreed | undefined {
  const receipt = answer && readDefinitionReceipt(answer.receiptBytes);
  if (answer === undefined || receipt === undefined) return disagreed('packs', 'document-not-understood');
  const { kind, owner_pack, pack_installation_id, pack_payload_digest, business_key, definition_version } = binding;
  const pairs = [
    [receipt.kind, kind],
    [receipt.owner_pack, owner_pack],
    [receipt.pack_installation_id, pack_installation_id],
    [receipt.pack_payload_digest, pack_payload_digest],
    [receipt.business_key, business_key],
    [receipt.definition_version, definition_version],
    [receipt.pack_generation_storage_id, answer.packGenerationStorageId],
    [receipt.definition_envelope_version, answer.definitionEnvelopeVersion],
    [receipt.definition_receipt_version, answer.definitionReceiptVersion],
    [receipt.canonical_definition_digest, answer.canonicalDefinitionDigest],
  ];
  return pairs.every(([said, asked]) => said === asked) ? undefined : disagreed('packs', 'receipt-differs-from-definition');
}

type Credentials = Map<string, UnderstoodCredential>;

function understandCredentials(answers: OwnerAnswers, { credential_relation }: ConfigurationDocument): Credentials | Disagreed {
  const found: Credentials = new Map();
  for (const [generationId, answer] of answers.credentials) {
    const receipt = readCredentialReceipt(answer.receiptBytes);
    if (receipt === undefined) return disagreed('credentials', 'document-not-understood');
    const id = uuidText(CredentialGenerationId.bytes(generationId));
    const same = receipt.credential_generation_id === id && receipt.transport_configuration_digest === answer.transportDigest;
    if (!same) return disagreed('credentials', 'receipt-differs-from-credential');
    found.set(id, { generationId, answer, receipt });
  }
  const missing = credential_relation.some((entry) => !found.has(entry.credential_generation_id));
  return missing ? disagreed('credentials', 'credential-missing') : found;
}
