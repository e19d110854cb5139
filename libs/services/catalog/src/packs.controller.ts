import { Body, Controller, Get, Inject, Param, Post, Put, Req, Res } from '@nestjs/common';
import { isBindingKind } from '@connector/kernel/document-binding';
import { faultsListed } from '@connector/kernel/document-fault';
import { EpochId } from '@connector/kernel/ids';
import type { Json } from '@connector/kernel/jcs';
import { wasAuthorized } from '@connector/catalog/reads/authorized-binding';
import { readExact } from '@connector/packs/reads/definitions';
import { readGenerationBytes } from '@connector/packs/reads/generations';
import { readPins } from '@connector/packs/reads/pins';
import { pinGenerations } from '@connector/packs/transitions/pin-generations.tx';
import type { Db } from '@connector/platform/db/db';
import { ANSWER_SOON, retrying } from '@connector/platform/db/retrying';
import { withDocument } from '@connector/platform/host/body';
import { sendOutcome } from '@connector/platform/host/outcome';
import { whoAsks } from './asked-by';
import { CATALOG_DB, PACKS_DB } from './databases';
import { PackGenerationBody, PinsBody, ReadExactBody } from './bodies';
import { documentProblem } from './document-problem';
import { publishPack } from './publish-pack';
import { As } from './roles';

interface Reply {
  status(code: number): Reply;
  send(body: unknown): unknown;
}

const PUBLISHED = { registered: 201, 'barrier-held': 409, 'already-registered': 200, 'conflicting-version': 409 };
const STORED = { found: 200, absent: 404, invalid: 422 };
const PINNED = { pinned: 200, absent: 404, 'conflicting-pin': 409 };
const PINS = { found: 200, absent: 404 };
const EXACT = { found: 200, absent: 404, mismatch: 409, invalid: 422 };

/** The pack registry's shell (catalog.md B.3). */
@Controller('v1')
export class PacksController {
  constructor(
    @Inject(PACKS_DB) private readonly db: Db,
    @Inject(CATALOG_DB) private readonly catalog: Db,
  ) {}

  @Post('pack-generations')
  @As('packOwner')
  async publish(@Req() request: object, @Body() sent: object, @Res() reply: Reply): Promise<void> {
    const { rest, document } = await withDocument(PackGenerationBody, sent, 'pack');
    const answer = await publishPack(this.db, { caller: whoAsks(request), organization: rest.organization }, document as Json);
    if (answer.kind === 'faulty') throw documentProblem('HOUSE:packs:PackFaulty', 'pack', '/pack', faultsListed(answer.faults));
    sendOutcome(reply, PUBLISHED, answer);
  }

  @Get('pack-generations/:storage')
  @As('reader')
  async stored(@Param('storage') storage: string, @Res() reply: Reply): Promise<void> {
    sendOutcome(reply, STORED, await readGenerationBytes(this.db, storage));
  }

  @Post('binding-definitions/:kind/read-exact')
  @As('connector')
  async readExact(@Param('kind') kind: string, @Body() body: ReadExactBody, @Res() reply: Reply): Promise<void> {
    // A fifth kind is refused on read as on write (cat:INT-03).
    if (!isBindingKind(kind))
      return sendOutcome<{ kind: 'invalid'; code: string }>(reply, EXACT, { kind: 'invalid', code: 'KIND_UNKNOWN' });
    const identity = {
      organization: body.organization,
      kind,
      ownerPack: body.owner_pack,
      packInstallation: body.pack_installation,
      businessKey: body.business_key,
      definitionVersion: body.definition_version,
    };
    const { installation, workload, pack_payload_digest: packPayloadDigest } = body;
    // Whatever was authorized once stays readable, so that no membership strands an epoch; what never was is absent (cat:INT-12, cat:INT-13).
    const known = await wasAuthorized(this.catalog, { ...identity, installation, workload, packPayloadDigest });
    const absent = { kind: 'absent', code: 'BINDING_ABSENT' } as const;
    sendOutcome(reply, EXACT, known ? await readExact(this.db, identity, packPayloadDigest) : absent);
  }

  @Put('generation-pins/:epoch')
  @As('connectorAlone')
  async pin(@Param('epoch') epoch: string, @Body() body: PinsBody, @Res() reply: Reply): Promise<void> {
    const generations = body.generations.map((one) => ({ storageId: one.storage_id, payloadDigest: one.pack_payload_digest }));
    const input = { epochId: EpochId.parse(epoch), epochDigest: body.epoch_digest, generations };
    sendOutcome(reply, PINNED, await retrying(ANSWER_SOON, () => pinGenerations(this.db, input)));
  }

  @Get('generation-pins/:epoch')
  @As('connectorAlone')
  async pins(@Param('epoch') epoch: string, @Res() reply: Reply): Promise<void> {
    sendOutcome(reply, PINS, await readPins(this.db, EpochId.parse(epoch)));
  }
}
