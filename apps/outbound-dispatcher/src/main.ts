import { main } from '@connector/platform/host/main';
import { outboundDispatcher } from '@connector/services/outbound-dispatcher/src/outbound-dispatcher.service';

main(outboundDispatcher);
