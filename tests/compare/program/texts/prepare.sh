# Makes files of those of inputs.txt and of the program in $COMPARE, in the present folder.
set -e

stem=module_0001.jit_step.cl_1.after_optimizations
cp $stem.txt step.txt
cp $stem.txt damaged/module_0003.jit_half.cl_1.after_optimizations.txt
sed 's/size 65536/size 98304/; s/93716/126484/' $stem-buffer-assignment.txt >larger-buffer-assignment.txt
mkdir pair single folder
cp dump/*.txt helper/*.txt pair
cp m.txt pair/module_0003.jit_step.cl_1.after_optimizations.txt
echo nothing >pair/module_0004.jit_bad.cl_1.after_optimizations.txt
echo 'nothing of XLA' >pair/notes.txt
cp $stem.txt single
sed 's/20\.31G/25.78G/g; s/16\.41G/21.88G/g' 24.log >32.log
sed 's/20\.31G/20.40G/g; s/16\.41G/16.50G/g' 24.log >16.log
cp 24.log 8.log
sed 's/1\.00G/2.00G/' listed.log >grown.log
sed 's/source_line=3/source_line=7/' grown.log >line.log

# A step has a batch, and a tensor of a quantum that is kept.
leak() {
    printf 'op,id,bytes,tag\nalloc,w,102400,weights\n'
    seq 0 $(($1 - 1)) | sed "s/.*/alloc,x,51200,batch\nalloc,l&,100,$2\nfree,x,,\nsync,,,/"
}
leak 100 log >leak.csv
leak 10 '' >no_tag.csv
# A trace without marks, in which the rows of a layer repeat.
(
    echo op,id,bytes,tag
    seq 0 59 | sed 's/.*/alloc,x,512,work\nalloc,y,4096,work\nalloc,k&,1024,\nfree,x,,\nfree,y,,/'
) >layers.csv

: >nothing.txt
printf '\375\067zXZ\0' >t.csv.xz
printf '\177ELF\002\001\0' >elf
printf '\200\004cos\nsystem\n(\214\002lstR.' >evil.pickle
printf '\377\376E\0r\0' >shell.log
cp reuse.csv 'a,"b".csv'

replay() { $COMPARE --rounds 0 --variants 0 --manager best_fit --manager buddy "$@" >/dev/null; }
replay --trace moves.csv --save moves.json
churn='--workload uniform_churn:operations=200 --seed'
replay $churn 1,2 --shard 1/3 -o 1.json
replay $churn 1,2 --shard 2/3 -o 2.json
replay $churn 1,3 --shard 3/3 -o other.json
replay $churn 1,2 --shard 3/4 -o count.json
replay --trace moves.csv --shard 1/2 -o moved.json
replay --trace moves.csv --shard 2/2 -o other_moved.json
replay --trace moves.csv --shard 1/1 -o one.json
replay --trace moves.csv --capacity 4K --save fails.json
replay --trace moves.csv --snapshot moves.pickle --pprof moves.prof

# Stored results with another text in them.
changed() {
    sed "$2" "$1" >"$3"
    ! cmp -s "$1" "$3"
}
changed 2.json 's/"version":"/&9./' version.json
changed 2.json 's/"managers":".../"managers":"000/' managers.json
changed 2.json 3d short.json
changed 2.json 's/"moves":[0-9]*,//' keys.json
changed other_moved.json 's/2b9634/000000/' digest.json
changed one.json 's/"version":"/&9./' one_version.json
changed one.json 's/"managers":".../"managers":"000/' one_managers.json
changed one.json 's/moves.csv/small.csv/' one_input.json
changed one.json 's/moves.csv/gone.csv/' one_gone.json
changed one.json 's/"moves":[0-9]*/"moves":-1/' one_figure.json
changed moves.json 's/"buddy"/"best_fit"/' twice.json
changed moves.json 's/"moves":[0-9]*/"moves":"x"/' text.json
changed moves.json 's/"moves":[0-9]*/"moves":99999999999999999/' many.json
changed moves.json 's/"completed":true/"completed":false/' failed.json
changed fails.json 's/"completed":false/"completed":true/' completed.json
changed moves.json '0,/"footprint_bytes":5632/s//"footprint_bytes":4608/
0,/"peak_live_bytes":4608/s//"peak_live_bytes":9999/' better.json
