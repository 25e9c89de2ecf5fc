#!/usr/bin/env python3
"""mixed_text.py [MEGABYTES]: writes mixed text for the token benchmark to stdout, the same every
time: prose in several scripts, code, JSON, logs and numbers."""
import random
import sys

PROSE = {
    "en": "the model reads a file before it changes anything and says what it found so that the person "
          "who asked can decide whether the answer is worth keeping or should be tried again tomorrow",
    "de": "die Größe der Änderung überraschte niemanden weil sie schon lange geplant war und für alle "
          "sichtbar im Kalender stand obwohl manche lieber später darüber gesprochen hätten",
    "fr": "l'équipe a préféré écrire un test avant de corriger l'erreur parce que rien n'est plus sûr "
          "qu'un exemple que chacun peut répéter où il veut dès qu'il le faut",
    "es": "mañana por la mañana el servidor volverá a empezar y entonces sabremos si la memoria crece "
          "como ayer o si el cambio de la semana pasada fue suficiente después de todo",
    "ru": "каждый запрос проходит через несколько слоёв и на каждом из них можно увидеть почему ответ "
          "получился таким а не другим если только журнал не был выключен заранее",
    "el": "κάθε αρχείο ανοίγει μία φορά και κλείνει αμέσως μόλις διαβαστεί ώστε να μη μένει τίποτα "
          "ανοιχτό όταν τελειώσει η δουλειά",
    "hi": "हर उपकरण का एक नाम और एक विवरण होता है ताकि मॉडल समझ सके कि उसे कब बुलाना चाहिए और कब नहीं",
    "ar": "يقرأ البرنامج الملف ثم يكتب النتيجة في مكان آمن حتى لا تضيع إذا توقف كل شيء فجأة",
}
UNSPACED = ["工具的名称必须是唯一的否则模型不知道该调用哪一个", "ファイルを読み込んでから変更を提案してください。",
            "모델이 도구를 호출하면 결과가 대화에 추가됩니다", "โปรแกรมอ่านไฟล์แล้วเขียนผลลัพธ์"]
EMOJI = ["🎉", "👍🏽", "🚀", "✅", "⚠️", "👩‍💻", "🇫🇷"]
NAMES = ["user", "request", "toolCall", "maxTokens", "parse_header", "HTTPClient", "is_valid", "buffer",
         "responseBody", "retryCount", "JSONSchema", "index", "kDefaultLimit", "on_close", "x", "i"]
TYPES = ["int", "std::string", "bool", "size_t", "Result<void>", "const char*", "std::vector<int>"]


def prose(rng, language, words):
    pool = PROSE[language].split()
    text = " ".join(rng.choice(pool) for _ in range(words))
    return text[0].upper() + text[1:] + rng.choice([". ", "! ", "? ", "… ", ".\n"])


def paragraph(rng):
    language = rng.choice(["en"] * 12 + list(PROSE))
    text = "".join(prose(rng, language, rng.randint(5, 24)) for _ in range(rng.randint(2, 7)))
    if rng.random() < 0.15:
        text += rng.choice(EMOJI)
    if rng.random() < 0.2:
        text += " I'm sure they'll say it's what we've wanted, and he'd agree."
    return text + "\n\n"


def unspaced(rng):
    return "".join(rng.choice(UNSPACED) for _ in range(rng.randint(1, 4))) + "\n"


def code(rng):
    name, other, kind = rng.choice(NAMES), rng.choice(NAMES), rng.choice(TYPES)
    lines = [f"{kind} {name}_{rng.randint(0, 99)}({rng.choice(TYPES)} {other}) {{"]
    for _ in range(rng.randint(2, 12)):
        left, right = rng.choice(NAMES), rng.choice(NAMES)
        lines.append(rng.choice([
            f"  if ({left} != nullptr && {right}.size() > {rng.randint(0, 4096)}) return {left};",
            f"  auto {left} = {right}->find(\"{rng.choice(NAMES)}\");",
            f"    // {prose(rng, 'en', 8).strip()}",
            f"  for (int i = 0; i < {rng.randint(1, 1000)}; ++i) {left}[i] += {right} * 0x{rng.getrandbits(32):08X};",
            f"  def {left}(self, {right}=None):\n        return self.{right}[{rng.randint(0, 9)}:]",
            f"\tconst {left} = await {right}.map((item) => item?.{left} ?? '{right}');",
        ]))
    return "\n".join(lines + ["}", "", ""])


def json_text(rng):
    members = ", ".join(
        f'"{rng.choice(NAMES)}": ' + rng.choice([
            str(rng.randint(0, 10**9)), f"{rng.random():.6f}", "true", "null", f'"{rng.choice(NAMES)}"',
            f'{{"type": "string", "description": "{prose(rng, "en", 6).strip()}"}}'])
        for _ in range(rng.randint(3, 14)))
    return "{" + members + "}\n"


def log(rng):
    return (f"2026-{rng.randint(1, 12):02}-{rng.randint(1, 28):02}T{rng.randint(0, 23):02}:{rng.randint(0, 59):02}:"
            f"{rng.randint(0, 59):02}.{rng.randint(0, 999):03}Z {rng.choice(['INFO', 'WARN', 'ERROR'])} "
            f"[{rng.choice(NAMES)}] id={rng.getrandbits(64):016x} took {rng.random() * 900:.2f} ms from "
            f"10.{rng.randint(0, 255)}.{rng.randint(0, 255)}.{rng.randint(1, 254)}: {prose(rng, 'en', 7)}\n")


def table(rng):
    return "\t".join(f"{rng.gauss(0, 1000):.3f}" for _ in range(8)) + "\n"


def main():
    size = int(float(sys.argv[1] if len(sys.argv) > 1 else 3) * 1_000_000)
    rng = random.Random(20240607)
    kinds = [paragraph] * 7 + [code] * 5 + [json_text] * 4 + [log] * 4 + [unspaced, table]
    parts, total = [], 0
    while total < size:
        part = rng.choice(kinds)(rng).encode()
        parts.append(part)
        total += len(part)
    text = b"".join(parts)[:size].decode(errors="ignore")
    sys.stdout.buffer.write(text.encode())


main()
