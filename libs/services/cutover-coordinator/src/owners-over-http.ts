import { RetryableFault } from '@connector/kernel/faults';
import type { EpochId } from '@connector/kernel/ids';
import type { Owners } from '@connector/connector/contract/owners';
import type { OwnerAnswer } from '@connector/connector/model/serving/owner-answers';
import type { PinRequest } from '@connector/connector/model/serving/pins';
import type { ServiceAnswer, ServiceClient } from '@connector/platform/http/service-client';
import { barriersOverHttp } from './barriers-over-http';
import {
  readConfigurationAnswer,
  readCredentialAnswer,
  readDefinitionAnswer,
  readPinned,
  readPinsAnswer,
  readRefusal,
  readViewAnswer,
} from './owner-wire';

type Said<T> = OwnerAnswer<T> | { readonly kind: 'not-fresh' };

/**
 * What an owner said. Only a whole answer of the expected shape says something: a refused connection, a deadline, a 5xx, a problem
 * document and anything that is not understood are `unavailable`, and a candidate stays what it is (con:VERI-X).
 */
async function ask<T>(call: Promise<ServiceAnswer>, read: (body: unknown) => T | undefined): Promise<Said<T>> {
  try {
    return said(await call, read);
  } catch (thrown) {
    if (thrown instanceof RetryableFault) return { kind: 'unavailable' };
    throw thrown;
  }
}

function said<T>({ status, body }: ServiceAnswer, read: (body: unknown) => T | undefined): Said<T> {
  if (status === 200) {
    const found = read(body);
    return found === undefined ? { kind: 'unavailable' } : { kind: 'found', ...found };
  }
  const refusal = readRefusal(body);
  if (status === 404 && refusal?.kind === 'absent') return { kind: 'absent', code: refusal.code };
  if (status === 409 && refusal?.kind === 'mismatch') return { kind: 'mismatch', code: refusal.code };
  if (status === 409 && refusal?.kind === 'not-fresh') return { kind: 'not-fresh' };
  if (status === 409 && refusal?.kind === 'conflicting-pin') return { kind: 'mismatch', code: 'CONFLICTING_PIN' };
  return { kind: 'unavailable' };
}

/** Freshness is the view's alone; from another owner it is no answer. */
async function exact<T>(call: Promise<ServiceAnswer>, read: (body: unknown) => T | undefined): Promise<OwnerAnswer<T>> {
  const answer = await ask(call, read);
  return answer.kind === 'not-fresh' ? { kind: 'unavailable' } : answer;
}

const part = encodeURIComponent;

const pinsOf = (epochId: EpochId): string => `/v1/generation-pins/${part(epochId)}`;

function pinBody({ epochDigest, generations }: PinRequest) {
  const named = generations.map(({ storageId, payloadDigest }) => ({ storage_id: storageId, pack_payload_digest: payloadDigest }));
  return { epoch_digest: epochDigest, generations: named };
}

/** The owners' exact readers over HTTP, asked afresh at every call (catalog.md B.2, B.3). */
export function ownersOverHttp(catalog: ServiceClient, control: ServiceClient): Owners {
  return {
    catalog: {
      readCurrent: ({ organization, installation, workload }, minRevision) => {
        const place = `/v1/orgs/${part(organization)}/app-installations/${part(installation)}/workloads/${part(workload)}`;
        return ask(catalog.call('GET', `${place}/integration-binding-view?min_catalog_revision=${minRevision}`), readViewAnswer);
      },
    },
    definitions: {
      readExact: ({ organization, installation, workload, ...name }, packPayloadDigest) => {
        const body = {
          ...{ organization, installation, workload },
          owner_pack: name.ownerPack,
          pack_installation: name.packInstallation,
          business_key: name.businessKey,
          definition_version: name.definitionVersion,
          pack_payload_digest: packPayloadDigest,
        };
        return exact(catalog.call('POST', `/v1/binding-definitions/${part(name.kind)}/read-exact`, body), readDefinitionAnswer);
      },
    },
    configurations: {
      readExact: (id) => exact(control.call('GET', `/v1/configurations/${part(id)}`), readConfigurationAnswer),
    },
    credentials: {
      readExact: (id) => exact(control.call('GET', `/v1/credentials/${part(id)}`), readCredentialAnswer),
    },
    retention: {
      pin: async (request) => {
        const answer = await exact(catalog.call('PUT', pinsOf(request.epochId), pinBody(request)), readPinned);
        return answer.kind === 'found' ? { kind: 'pinned' } : answer;
      },
      read: (epochId) => exact(catalog.call('GET', pinsOf(epochId)), readPinsAnswer),
    },
    barriers: barriersOverHttp(catalog),
  };
}
