import { main } from '@connector/platform/host/main';
import { ingress } from '@connector/services/ingress/src/ingress.service';

main(ingress);
