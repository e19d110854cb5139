import { Module, type DynamicModule } from '@nestjs/common';
import { openDb } from '@connector/platform/db/open-db';
import type { ServiceDefinition } from '@connector/platform/host/service';
import { AuthoringController } from './authoring.controller';
import { KeySetCarrier } from './carry-key-sets';
import { ChannelKeysController } from './channel-keys.controller';
import { ControlConfig } from './config';
import { CONTROL_DB, CONTROL_WAKE } from './control-db';
import { CredentialDecisions } from './credential-decisions';
import { CREDENTIAL_DECISIONS, CredentialsController } from './credentials.controller';
import { ReceiptsController } from './receipts.controller';

/** A configuration document is at most 1,000,000 bytes in its canonical form. */
const CONFIGURATION_BYTES_MAX = 2 * 1024 * 1024;

@Module({})
export class ControlModule {}

/** Authors configuration, credentials and channel keys, and keeps the supervisor's receipts (con:MAP-09, con:MAP-13, con:MAP-14). */
export const control: ServiceDefinition<ControlConfig> = {
  name: 'control',
  defaultPort: 4416,
  roles: ['control'],
  Config: ControlConfig,
  callers: ['local', 'operator', 'cutover-coordinator'],
  bodyBytesMax: CONFIGURATION_BYTES_MAX,
  async build(host) {
    const db = await openDb(host, 'control');
    const carrier = new KeySetCarrier(db);
    const decisions = new CredentialDecisions(db, host.wake);
    const module: DynamicModule = {
      module: ControlModule,
      controllers: [AuthoringController, CredentialsController, ChannelKeysController, ReceiptsController],
      providers: [
        { provide: CONTROL_DB, useValue: db },
        { provide: CONTROL_WAKE, useValue: host.wake },
        { provide: CREDENTIAL_DECISIONS, useValue: decisions },
      ],
    };
    const { pollMs } = host.config;
    const loops = [
      { name: 'carry-key-sets', pollMs, once: (signal: AbortSignal) => carrier.once(signal) },
      { name: 'carry-credential-decisions', pollMs, once: (signal: AbortSignal) => decisions.once(signal) },
    ];
    return { module, loops };
  },
};
