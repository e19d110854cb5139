import { main } from '@connector/platform/host/main';
import { egressAdapter } from '@connector/services/egress-adapter/src/egress-adapter.service';

main(egressAdapter);
