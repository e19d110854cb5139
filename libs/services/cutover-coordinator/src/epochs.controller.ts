import { Body, Controller, Inject, Param, Post, Req, Res, UseGuards } from '@nestjs/common';
import { AttemptId, CertificateId, ConfigurationId, EpochId, OperationId } from '@connector/kernel/ids';
import { parseAccountName } from '@connector/connector/model/serving/account-name';
import { callerOf } from '@connector/platform/host/auth';
import { onlyFor } from '@connector/platform/host/only-for';
import { sendOutcome } from '@connector/platform/host/outcome';
import { GenesisBody, PrepareBody, VerifyBody } from './bodies';
import type { Epochs } from './epochs';
import type { Genesis, GenesisRequest } from './genesis';
import { COORDINATOR, type Reply } from './names';
import { answered } from './owner-unavailable';

export const EPOCHS = Symbol('epochs');
export const BEGIN = Symbol('begin-genesis');
export type BeginGenesis = (request: GenesisRequest) => Promise<Genesis>;

const PREPARED = {
  prepared: 201,
  'already-prepared': 200,
  'conflicting-epoch': 409,
  'credential-gate-missing': 409,
  'profile-refused': 422,
  incomplete: 422,
  'too-large': 422,
  refused: 422,
};
const VERIFIED = { verified: 200, rejected: 200, 'not-found': 404, 'not-prepared': 409, 'candidate-differs': 409, 'operation-reused': 409 };
const BEGUN = {
  begun: 200,
  'epoch-absent': 404,
  'epoch-not-verified': 409,
  'epoch-drifted': 409,
  'account-set-mismatch': 409,
  'conflicting-declaration': 409,
  'not-held': 409,
  'not-intended': 409,
  'not-activated': 409,
  'not-committed': 409,
  'readback-differs': 409,
};

/** A candidate, from what the owners say to the first epoch that serves (con:MAP-05, con:MAP-06). */
@Controller('v1')
@UseGuards(onlyFor('operator', 'local'))
export class EpochsController {
  constructor(
    @Inject(EPOCHS) private readonly epochs: Epochs,
    @Inject(BEGIN) private readonly begin: BeginGenesis,
  ) {}

  @Post('epochs')
  async prepare(@Body() body: PrepareBody, @Res() reply: Reply): Promise<void> {
    const question = {
      organization: body.organization,
      installation: body.installation,
      workload: body.workload,
      minCatalogRevision: BigInt(body.min_catalog_revision),
      configurationId: ConfigurationId.parse(body.configuration_id),
    };
    sendOutcome(reply, PREPARED, answered(await this.epochs.prepare(EpochId.parse(body.epoch_id), question)));
  }

  @Post('epochs/:id/verify')
  async verify(@Param('id') id: string, @Body() body: VerifyBody, @Req() request: object, @Res() reply: Reply): Promise<void> {
    const requestedBy = body.requested_by ?? callerOf(request) ?? COORDINATOR;
    const operation = { operationId: OperationId.parse(body.operation_id), requestedBy };
    sendOutcome(reply, VERIFIED, answered(await this.epochs.verify(EpochId.parse(id), operation)));
  }

  @Post('genesis')
  async genesis(@Body() body: GenesisBody, @Res() reply: Reply): Promise<void> {
    const begun = await this.begin({
      epochId: EpochId.parse(body.epoch_id),
      operationId: OperationId.parse(body.operation_id),
      certificateId: CertificateId.parse(body.certificate_id),
      attemptId: AttemptId.parse(body.attempt_id),
      requestedBy: body.requested_by,
      reason: body.reason,
      ...(body.accounts ? { accounts: body.accounts.map(parseAccountName) } : {}),
    });
    sendOutcome(reply, BEGUN, answered(begun));
  }
}
