import { RetryableFault } from '@connector/kernel/faults';
import type { PublicationBarrier } from '@connector/connector/contract/owners';
import type { BarrierAnswer, BarrierHolder, FrozenScope, HeldBarrier } from '@connector/connector/model/serving/barriers';
import type { ServiceAnswer, ServiceClient } from '@connector/platform/http/service-client';
import { readHeldAnswer, readHeldList, readRefusal } from './owner-wire';

/** What another service answered; undefined where it gave no answer, and then nothing is known. */
async function answered(call: Promise<ServiceAnswer>): Promise<ServiceAnswer | undefined> {
  try {
    return await call;
  } catch (thrown) {
    if (thrown instanceof RetryableFault) return undefined;
    throw thrown;
  }
}

const UNAVAILABLE = { kind: 'unavailable' } as const;

function barrierAnswer(answer: ServiceAnswer | undefined): BarrierAnswer {
  const held = answer?.status === 200 ? readHeldAnswer(answer.body) : undefined;
  if (held !== undefined) return { kind: 'held', ...held };
  const refusal = answer?.status === 409 || answer?.status === 404 ? readRefusal(answer.body) : undefined;
  return refusal === undefined ? UNAVAILABLE : { kind: 'refused', code: refusal.kind };
}

const part = encodeURIComponent;

/** One owner's barriers; `scopeOf` says what of a candidate it holds. */
function barrierOverHttp(client: ServiceClient, path: string, scopeOf: (frozen: FrozenScope) => object): PublicationBarrier {
  const releaseBody = ({ organization, installation, barrierFence }: HeldBarrier, holderFence: bigint, outcome: string) => ({
    ...{ organization, barrier_fence: barrierFence.toString(), holder_fence: holderFence.toString(), outcome },
    ...(installation === undefined ? {} : { installation }),
  });
  return {
    acquire: async ({ attemptId, holderFence }: BarrierHolder, frozen) => {
      const body = { attempt_id: attemptId, holder_fence: holderFence.toString(), organization: frozen.organization, ...scopeOf(frozen) };
      return barrierAnswer(await answered(client.call('POST', path, body)));
    },
    heldBy: async (attemptId) => {
      const answer = await answered(client.call('GET', `${path}/${part(attemptId)}`));
      const held = answer?.status === 200 ? readHeldList(answer.body) : undefined;
      return held === undefined ? UNAVAILABLE : { kind: 'found', held };
    },
    release: async (held, holderFence, outcome) => {
      const body = releaseBody(held, holderFence, outcome);
      const answer = await answered(client.call('POST', `${path}/${part(held.attemptId)}/release`, body));
      if (answer?.status === 200) return { kind: 'released' };
      return answer?.status === 409 || answer?.status === 404 ? { kind: 'stale' } : UNAVAILABLE;
    },
  };
}

export function barriersOverHttp(catalog: ServiceClient): { readonly catalog: PublicationBarrier; readonly packs: PublicationBarrier } {
  return {
    catalog: barrierOverHttp(catalog, '/v1/publication-barriers', ({ installation, workload, lineage, viewDigest }) => ({
      ...{ installation, workload, expected_view_digest: viewDigest },
      expected_lineage: {
        lineage_id: lineage.lineageId,
        catalog_revision: lineage.catalogRevision.toString(),
        activation_epoch: lineage.activationEpoch.toString(),
      },
    })),
    packs: barrierOverHttp(catalog, '/v1/pack-publication-barriers', ({ generations }) => ({
      generations: generations.map((one) => ({ storage_id: one.storageId, pack_payload_digest: one.payloadDigest })),
    })),
  };
}
