// Exits with 0 where relaxed_madd exists and rounds once.
import { isMaddFused } from "../../web/hologram.js";

process.exit(isMaddFused() ? 0 : 1);
