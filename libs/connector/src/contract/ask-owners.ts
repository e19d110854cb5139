import { uuidBytes } from '@connector/kernel/document';
import { CredentialGenerationId } from '@connector/kernel/ids';
import { bindingNameOf } from '../model/serving/assemble-epoch';
import type {
  AskedOwners,
  CredentialAnswer,
  DefinitionAnswer,
  EpochQuestion,
  OwnerAnswer,
  OwnerName,
} from '../model/serving/owner-answers';
import { readConfiguration, readView } from '../model/serving/owner-documents';
import type { OwnerReaders } from './owners';

type Missed = Exclude<AskedOwners, { readonly kind: 'found' }>;

function missed(owner: OwnerName, answer: Exclude<OwnerAnswer<unknown>, { readonly kind: 'found' }>): Missed {
  return answer.kind === 'unavailable' ? { kind: 'unavailable', owner } : { kind: 'rejected', owner, code: answer.code };
}

const unreadable = (owner: OwnerName): Missed => ({ kind: 'rejected', owner, code: 'document-not-understood' });

/** Asks every owner afresh, one after the other, outside any transaction; the first that has no answer ends it. */
export async function askOwners(owners: OwnerReaders, question: EpochQuestion): Promise<AskedOwners> {
  const view = await owners.catalog.readCurrent(question, question.minCatalogRevision);
  // Not fresh yet is no statement about the view: it is asked again later.
  if (view.kind === 'not-fresh') return { kind: 'unavailable', owner: 'catalog' };
  if (view.kind !== 'found') return missed('catalog', view);
  const configuration = await owners.configurations.readExact(question.configurationId);
  if (configuration.kind !== 'found') return missed('configuration', configuration);
  const definitions = await askDefinitions(owners, question, view.viewBytes);
  if ('kind' in definitions) return definitions;
  const credentials = await askCredentials(owners, configuration.documentBytes);
  if ('kind' in credentials) return credentials;
  return { kind: 'found', answers: { question, view, configuration, definitions, credentials } };
}

async function askDefinitions(
  owners: OwnerReaders,
  question: EpochQuestion,
  viewBytes: Buffer,
): Promise<readonly DefinitionAnswer[] | Missed> {
  const view = readView(viewBytes);
  if (view === undefined) return unreadable('catalog');
  const { organization, installation, workload } = question;
  const found: DefinitionAnswer[] = [];
  for (const binding of view.bindings) {
    const identity = { organization, installation, workload, ...bindingNameOf(binding) };
    const answer = await owners.definitions.readExact(identity, binding.pack_payload_digest);
    if (answer.kind !== 'found') return missed('packs', answer);
    found.push(answer);
  }
  return found;
}

type Credentials = Map<CredentialGenerationId, CredentialAnswer>;

async function askCredentials(owners: OwnerReaders, documentBytes: Buffer): Promise<Credentials | Missed> {
  const configuration = readConfiguration(documentBytes);
  if (configuration === undefined) return unreadable('configuration');
  const found: Credentials = new Map();
  for (const entry of configuration.credential_relation) {
    const id = CredentialGenerationId.of(uuidBytes(entry.credential_generation_id));
    if (found.has(id)) continue;
    const answer = await owners.credentials.readExact(id);
    if (answer.kind !== 'found') return missed('credentials', answer);
    found.set(id, answer);
  }
  return found;
}
