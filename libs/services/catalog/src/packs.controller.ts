import { Body, Controller, Inject, Param, Post, Res, UseGuards } from '@nestjs/common';
import { isBindingKind } from '@connector/kernel/document-binding';
import type { Json } from '@connector/kernel/jcs';
import { readExact } from '@connector/packs/reads/definitions';
import type { Db } from '@connector/platform/db/db';
import { withDocument } from '@connector/platform/host/body';
import { onlyFor } from '@connector/platform/host/only-for';
import { sendOutcome } from '@connector/platform/host/outcome';
import { HttpProblem } from '@connector/platform/host/problem';
import { PackGenerationBody, ReadExactBody } from './bodies';
import { publishPack, type PublishedPack } from './publish-pack';

export const PACKS_DB = Symbol('packs-db');

interface Reply {
  status(code: number): Reply;
  send(body: unknown): unknown;
}

const PUBLISHED = { registered: 201, 'already-registered': 200, 'conflicting-version': 409 };
const EXACT = { found: 200, absent: 404, mismatch: 409, invalid: 422 };

/** The pack registry's shell (catalog.md B.3). */
@Controller('v1')
export class PacksController {
  constructor(@Inject(PACKS_DB) private readonly db: Db) {}

  @Post('pack-generations')
  @UseGuards(onlyFor('local', 'operator'))
  async publish(@Body() sent: object, @Res() reply: Reply): Promise<void> {
    const { rest, document } = await withDocument(PackGenerationBody, sent, 'pack');
    const answer = await publishPack(this.db, rest.organization, document as Json);
    if (answer.kind === 'faulty') throw refusal(answer);
    sendOutcome(reply, PUBLISHED, answer);
  }

  @Post('binding-definitions/:kind/read-exact')
  @UseGuards(onlyFor('cutover-coordinator', 'local', 'operator'))
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
    sendOutcome(reply, EXACT, await readExact(this.db, identity, body.pack_payload_digest));
  }
}

function refusal({ faults }: Extract<PublishedPack, { kind: 'faulty' }>): HttpProblem {
  return new HttpProblem({
    status: 422,
    code: 'HOUSE:packs:PackFaulty',
    detail: `The pack has ${faults.length} faults; nothing was registered.`,
    errors: faults.map(({ pointer, code, expected, found, hint }) => ({
      pointer: `/pack${pointer}`,
      detail: `${code}: expected ${expected}, found ${found}; ${hint}`,
    })),
  });
}
