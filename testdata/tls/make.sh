#!/usr/bin/env bash
# Makes the keys and certificates of this folder anew: for tests only, known to everybody, good until 2126.
# An authority, a server and a client of it, and what is wrong in one way each.
set -eu
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
key() { openssl ecparam -name prime256v1 -genkey -noout | openssl pkcs8 -topk8 -nocrypt -out "$1"; }
authority() { # file, name
  key "$work/$1.key"
  openssl req -x509 -new -key "$work/$1.key" -days 36500 -subj "/CN=$2" -addext basicConstraints=critical,CA:TRUE \
    -addext keyUsage=critical,keyCertSign,cRLSign -out "$1.pem"
}
signed() { # file, name, subject alternative names, authority, first day, last day
  key "$1.key.pem"
  openssl req -new -key "$1.key.pem" -subj "/CN=$2" -out "$work/$1.csr"
  printf 'subjectAltName=%s\nbasicConstraints=CA:FALSE\n' "$3" > "$work/$1.ext"
  : > "$work/index"
  printf '[ca]\ndefault_ca=d\n[d]\ndatabase=%s/index\nnew_certs_dir=%s\nrand_serial=yes\ndefault_md=sha256\npolicy=p\nunique_subject=no\n[p]\ncommonName=supplied\n' \
    "$work" "$work" > "$work/ca.conf"
  openssl ca -batch -notext -config "$work/ca.conf" -cert "$4.pem" -keyfile "$work/$4.key" -in "$work/$1.csr" \
    -extfile "$work/$1.ext" -startdate "$5" -enddate "$6" -out "$1.cert.pem" 2> "$work/log" || { cat "$work/log"; exit 1; }
}
authority ca "rowkey test authority"
authority other-ca "rowkey other test authority"
here=DNS:localhost,IP:127.0.0.1
signed server server "$here" ca 20240101000000Z 21260101000000Z
signed client client "$here" ca 20240101000000Z 21260101000000Z
signed stranger stranger "$here" other-ca 20240101000000Z 21260101000000Z
signed elsewhere elsewhere DNS:elsewhere.example ca 20240101000000Z 21260101000000Z
signed expired expired "$here" ca 20240101000000Z 20240201000000Z
signed future future "$here" ca 21250101000000Z 21260101000000Z
