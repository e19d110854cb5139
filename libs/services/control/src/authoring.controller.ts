import { Body, Controller, Get, Inject, Param, Post, Res, UseGuards } from '@nestjs/common';
import { ConfigurationId, CredentialGenerationId } from '@connector/kernel/ids';
import { parseAccountName } from '@connector/connector/model/serving/account-name';
import { openCredentialGate } from '@connector/connector/transitions/serving/open-credential-gate.tx';
import type { CredentialTransport } from '@connector/control/model/documents';
import { readConfiguration } from '@connector/control/reads/configuration';
import { readCredential } from '@connector/control/reads/credential';
import { authorConfiguration } from '@connector/control/transitions/author-configuration.tx';
import { authorCredential } from '@connector/control/transitions/author-credential.tx';
import type { Db } from '@connector/platform/db/db';
import { ANSWER_SOON, retrying } from '@connector/platform/db/retrying';
import { withDocument } from '@connector/platform/host/body';
import { onlyFor } from '@connector/platform/host/only-for';
import { sendOutcome } from '@connector/platform/host/outcome';
import { ConfigurationBody, CredentialBody } from './bodies';
import { CONTROL_DB, type Reply } from './control-db';
import { parseConfiguration } from './parse-body';

const CONFIGURATION = {
  authored: 201,
  'already-authored': 200,
  'conflicting-configuration': 409,
  'credential-absent': 422,
  'credential-of-other-account': 422,
  'credential-of-other-identity': 422,
};
const CREDENTIAL = { authored: 201, 'already-authored': 200, 'conflicting-credential': 409, 'secret-is-channel-key': 409 };
const EXACT = { found: 200, absent: 404 };
const ABSENT = { kind: 'absent', code: 'GENERATION_ABSENT' } as const;

/** Configuration and credential generations, authored and read by their exact id (con:MAP-09). */
@Controller('v1')
export class AuthoringController {
  constructor(@Inject(CONTROL_DB) private readonly db: Db) {}

  @Post('configurations')
  @UseGuards(onlyFor('local', 'operator'))
  async configuration(@Body() sent: object, @Res() reply: Reply): Promise<void> {
    const { rest: body, document } = await withDocument(ConfigurationBody, sent, 'configuration');
    const generationId = ConfigurationId.parse(body.configuration_id);
    const input = { generationId, configuration: parseConfiguration(document), authoredBy: body.authored_by };
    sendOutcome(reply, CONFIGURATION, await retrying(ANSWER_SOON, () => authorConfiguration(this.db, input)));
  }

  /** Two commits: until the second one, PREP refuses the generation; the same request again is what completes it (con:OPEN-47). */
  @Post('credentials')
  @UseGuards(onlyFor('local', 'operator'))
  async credential(@Body() sent: object, @Res() reply: Reply): Promise<void> {
    const { rest: body, document: transport } = await withDocument(CredentialBody, sent, 'transport');
    const input = {
      generationId: CredentialGenerationId.parse(body.credential_generation_id),
      credentialIdentity: body.credential_identity,
      provider: body.provider,
      account: parseAccountName(body.account),
      secretPath: body.secret_path,
      secretVersion: body.secret_version,
      transport: transport as CredentialTransport,
    };
    const answer = await retrying(ANSWER_SOON, () => authorCredential(this.db, input));
    if (answer.kind === 'authored' || answer.kind === 'already-authored')
      await retrying(ANSWER_SOON, () => openCredentialGate(this.db, answer.generationId));
    sendOutcome(reply, CREDENTIAL, answer);
  }

  @Get('configurations/:id')
  @UseGuards(onlyFor('cutover-coordinator', 'local', 'operator'))
  async readConfiguration(@Param('id') id: string, @Res() reply: Reply): Promise<void> {
    const found = await readConfiguration(this.db, ConfigurationId.parse(id));
    sendOutcome(reply, EXACT, found === undefined ? ABSENT : { kind: 'found' as const, ...found });
  }

  @Get('credentials/:id')
  @UseGuards(onlyFor('cutover-coordinator', 'local', 'operator'))
  async readCredential(@Param('id') id: string, @Res() reply: Reply): Promise<void> {
    const found = await readCredential(this.db, CredentialGenerationId.parse(id));
    if (found === undefined) return sendOutcome<typeof ABSENT>(reply, EXACT, ABSENT);
    const { transportDigest, receiptBytes, receiptDigest } = found;
    sendOutcome(reply, EXACT, { kind: 'found', transportDigest, receiptBytes, receiptDigest });
  }
}
