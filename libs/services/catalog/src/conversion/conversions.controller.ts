import { Body, Controller, Get, Headers, Inject, Param, Post, Query, Req, Res } from '@nestjs/common';
import { CRM_APP_ID } from '@connector/catalog/model/conversion/mapping';
import { readConversionJournal, readLegacyReaders } from '@connector/catalog/reads/conversion';
import { retireLegacyReader } from '@connector/catalog/transitions/conversion/retire-legacy-reader.tx';
import { faultsListed } from '@connector/kernel/document-fault';
import type { Json } from '@connector/kernel/jcs';
import { ANSWER_SOON, retrying } from '@connector/platform/db/retrying';
import { outcomeBody, sendOutcome } from '@connector/platform/host/outcome';
import { askedBy } from '../asked-by';
import { documentProblem } from '../document-problem';
import type { Reply } from '../installations/answers';
import { As } from '../roles';
import { ConversionBody, conversionIn, DeletionBody, ProjectionQuery, signedIn } from './bodies';
import { type ConversionParts, convertPack, type NoLegacyWorld } from './convert';
import { deletePack, judgeDeletion } from './delete-pack';
import { readFrozenProjection } from './frozen-projection';
import { type Proof, prove } from './prove';

export const CONVERSION = Symbol('conversion');

type Place = Readonly<Record<string, string>>;

const NO_WORLD = { 'no-legacy-world': 409 };
const PROVEN = { ...NO_WORLD, proven: 200 };
const CONVERTED = { ...NO_WORLD, converted: 200 };
const PROJECTION = { ...NO_WORLD, found: 200, 'not-in-ledger': 403, changed: 409, absent: 404 };
const RETIRED = { retired: 200, 'already-retired': 200, 'no-reader': 404 };
const JUDGED = { ...NO_WORLD, passed: 200, closed: 200, 'evidence-refused': 422, 'not-converted': 409 };
const DELETED = { ...JUDGED, deleted: 200, remains: 202, closed: 409, 'readers-left': 409 };

/** The one conversion of a legacy pack, who still reads what it was made of, and the end of that (catalog.md, CONV and COEX). */
@Controller('v1/orgs/:organization/legacy-conversion')
export class ConversionsController {
  constructor(@Inject(CONVERSION) private readonly parts: ConversionParts) {}

  /** All seven proofs over what is there now, with every fault. Nothing is written. */
  @Post('plan')
  @As('operator')
  async plan(@Param() { organization = '' }: Place, @Body() body: ConversionBody, @Res() reply: Reply): Promise<void> {
    const { preparation, legacy } = this.parts;
    const input = conversionIn(organization, body);
    const proof: Proof | NoLegacyWorld = legacy === undefined ? { kind: 'no-legacy-world' } : await prove(preparation, legacy, input);
    if (proof.kind === 'faulty') throw faultyConversion(body.pack_install_id, faultsListed(proof.faults));
    const answer = proof.kind === 'proven' ? { kind: proof.kind, entry: proof.entry } : proof;
    sendOutcome(reply, PROVEN, answer);
  }

  @Post()
  @As('operator')
  async convert(
    @Req() request: object,
    @Headers('idempotency-key') key: string | undefined,
    @Param() { organization = '' }: Place,
    @Body() body: ConversionBody,
    @Res() reply: Reply,
  ): Promise<void> {
    const by = askedBy(request, key, { door: 'convert', organization, asked: outcomeBody(body) as Json });
    const answer = await convertPack(this.parts, conversionIn(organization, body), by);
    if (answer.kind === 'failed') throw faultyConversion(body.pack_install_id, answer);
    sendOutcome(reply, CONVERTED, answer);
  }

  /** What was tried, and who still reads the source. */
  @Get()
  @As('reader')
  async journal(@Param() { organization = '' }: Place): Promise<unknown> {
    const { db } = this.parts.preparation;
    return outcomeBody({ attempts: await readConversionJournal(db, organization), readers: await readLegacyReaders(db, organization) });
  }

  @Get('readers/:reader/projection')
  @As('reader')
  async projection(
    @Param() { organization = '', reader = '' }: Place,
    @Query() { capability_id: capabilityId }: ProjectionQuery,
    @Res() reply: Reply,
  ): Promise<void> {
    sendOutcome(reply, PROJECTION, await readFrozenProjection(this.parts, { organization, reader, capabilityId }));
  }

  @Post('readers/:reader/retire')
  @As('operator')
  async retire(
    @Req() request: object,
    @Headers('idempotency-key') key: string | undefined,
    @Param() { organization = '', reader = '' }: Place,
    @Res() reply: Reply,
  ): Promise<void> {
    const by = askedBy(request, key, { door: 'retire-legacy-reader', organization, reader });
    const input = { organization, appId: CRM_APP_ID, reader };
    sendOutcome(reply, RETIRED, await retrying(ANSWER_SOON, () => retireLegacyReader(this.parts.preparation.db, input, by)));
  }

  /** The seven gates, each with what it misses. Nothing is written. */
  @Post('deletion/plan')
  @As('operator')
  async planDeletion(@Param() { organization = '' }: Place, @Body() body: DeletionBody, @Res() reply: Reply): Promise<void> {
    sendOutcome(reply, JUDGED, await judgeDeletion(this.parts, organization, evidenceIn(body)));
  }

  @Post('deletion')
  @As('operator')
  async delete(
    @Req() request: object,
    @Headers('idempotency-key') key: string | undefined,
    @Param() { organization = '' }: Place,
    @Body() body: DeletionBody,
    @Res() reply: Reply,
  ): Promise<void> {
    const by = askedBy(request, key, { door: 'delete-legacy-pack', organization, asked: outcomeBody(body) as Json });
    sendOutcome(reply, DELETED, await deletePack(this.parts, organization, evidenceIn(body), by));
  }
}

const evidenceIn = ({ evidence }: DeletionBody) => evidence.map((one, at) => signedIn(one, `/evidence/${at}`));

function faultyConversion(pack: string, listed: Parameters<typeof documentProblem>[3]) {
  return documentProblem('HOUSE:catalog:ConversionFaulty', `conversion of ${pack}`, '', listed);
}
